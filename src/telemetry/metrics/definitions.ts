/** The parts of a program that metrics describe. Each command has some of them. */
export type Part = 'calls' | 'http' | 'engine';

/**
 * A metric: its name, its meaning, and its labels. The values of every label come from a finite set that callers can't
 * extend.
 */
export interface MetricDefinition {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly part: Part;
  readonly help: string;
  /** The meaning of each label's values. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

const tool = 'name of a tool; `unknown` for a name that no tool has or that is not offered';
const operation = 'name of an operation of the API';

/**
 * A call lasts at most 50 seconds. A call with a question to its user counts twice, until the question and from the
 * answer on; the time between is in neither.
 */
const callBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50] as const;
const requestBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

/** Every metric of this program, besides those of Node.js and its process. docs/metrics.md is generated from them. */
export const definitions = {
  calls: {
    name: 'infra_mcp_calls_total',
    type: 'counter',
    part: 'calls',
    help: 'Calls of tools that ended.',
    labels: {
      tool,
      outcome:
        '`done`, `planned` (dry run), `asked` (the user is asked), `pending` (waits for the operator), `denied` (by policy), `refused`, `failed`, or `unknown` (sent, but not confirmed)',
      risk: '`read`, `write`, `disruptive`, `destructive`, `sensitive`, or `none` for a call that ended before its risk was known',
    },
  },
  callDuration: {
    name: 'infra_mcp_call_duration_seconds',
    type: 'histogram',
    part: 'calls',
    help: 'Duration of calls of tools.',
    labels: { tool },
    buckets: callBuckets,
  },
  callsRunning: {
    name: 'infra_mcp_calls_running',
    type: 'gauge',
    part: 'calls',
    help: 'Calls of tools that are being carried out.',
  },
  requests: {
    name: 'infra_mcp_platform_requests_total',
    type: 'counter',
    part: 'calls',
    help: 'Requests sent to the platform, each attempt by itself.',
    labels: {
      operation,
      result:
        'HTTP status; `other` for one that is not registered; or why there was none: `unreachable`, `timeout`, `canceled`, `bad_answer`',
    },
  },
  requestDuration: {
    name: 'infra_mcp_platform_request_duration_seconds',
    type: 'histogram',
    part: 'calls',
    help: 'Duration of requests to the platform.',
    labels: { operation },
    buckets: requestBuckets,
  },
  retries: {
    name: 'infra_mcp_platform_retries_total',
    type: 'counter',
    part: 'calls',
    help: 'Requests to the platform that were sent again.',
    labels: { operation },
  },
  budgetRemaining: {
    name: 'infra_mcp_platform_budget_remaining',
    type: 'gauge',
    part: 'calls',
    help: 'Requests left in the current rate limit window, of the credential that has fewest; absent while none is known.',
  },
  budgetLimit: {
    name: 'infra_mcp_platform_budget_limit',
    type: 'gauge',
    part: 'calls',
    help: 'Requests per window of that credential.',
  },
  questions: {
    name: 'infra_mcp_questions_total',
    type: 'counter',
    part: 'calls',
    help: 'Questions whether a call may go on, and what became of them.',
    labels: {
      by: 'who answers: `user` (through the client), `operator` (in a terminal or on the page), `caller` (with a plan token), or `unknown`',
      result:
        '`asked`, `agreed`, `refused`, `expired` (noticed when the operator is asked next), or `void` (an answer that does not count: too old, changed, used before, or about another plan)',
    },
  },
  approvalsWaiting: {
    name: 'infra_mcp_approvals_waiting',
    type: 'gauge',
    part: 'calls',
    help: 'Calls that wait for the operator, of all processes of the data directory.',
  },
  httpRunning: {
    name: 'infra_mcp_http_requests_running',
    type: 'gauge',
    part: 'http',
    help: 'MCP requests that are being answered.',
  },
  httpWaiting: {
    name: 'infra_mcp_http_requests_waiting',
    type: 'gauge',
    part: 'http',
    help: 'MCP requests that wait for their turn.',
  },
  httpStreams: { name: 'infra_mcp_http_streams', type: 'gauge', part: 'http', help: 'Open event streams.' },
  httpSessions: {
    name: 'infra_mcp_http_sessions',
    type: 'gauge',
    part: 'http',
    help: 'Open sessions of clients that use a 2025 protocol revision.',
  },
  deployments: {
    name: 'infra_platform_deployments',
    type: 'gauge',
    part: 'engine',
    help: 'Recorded deployments of the embedded platform. Ended ones are removed after some time.',
    labels: { status: '`QUEUED`, `ONGOING`, `SUCCESS`, `ERROR` or `CANCELED`' },
  },
  outboxWaiting: {
    name: 'infra_platform_webhook_deliveries_waiting',
    type: 'gauge',
    part: 'engine',
    help: 'Webhook deliveries of the embedded platform that are not done.',
  },
  outboxLag: {
    name: 'infra_platform_webhook_lag_seconds',
    type: 'gauge',
    part: 'engine',
    help: 'How long the oldest due webhook delivery has been due.',
  },
  deliveries: {
    name: 'infra_platform_webhook_attempts_total',
    type: 'counter',
    part: 'engine',
    help: 'Attempts at webhook deliveries that ended.',
    labels: { result: '`delivered`, `retried` (to be tried again) or `failed` (given up)' },
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof definitions;
