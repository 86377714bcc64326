import {
  organizationIn,
  closedFault,
  explainedCodes,
  transportFaultOf,
  redirectFault,
  redirectLoop,
  stoppedFault,
  ApiError,
  createOperationAvailability,
  failureFromResponse,
  type RefusedCall,
} from '../../src/client/index.ts';
import { operations } from '../../src/contract/index.ts';
import { UnreadableEncoding } from '../../src/outgoing/index.ts';
import { refusedTunnel } from '../../src/outgoing/proxy-error.ts';
import { failureText, metaKeys } from '../../src/server/output/index.ts';
import { tools } from '../../tools/index.ts';
import { code, markdownTable } from './markdown.ts';
import {
  emptyProblem,
  outcomeOf,
  type Failure,
  type RefusedPlan,
  type Refusal,
} from '../../src/server/failure/index.ts';

// Examples from which the program generates the texts on the page.
const origin = 'https://api.example.com';
const environmentId = '8f6c1d1e-0000-4000-8000-000000000001';
const now = Date.UTC(2030, 0, 1);

const refused = (status: number, text = ''): RefusedCall => ({
  operation: operations.get_environment_status,
  input: { environment_id: environmentId },
  response: { status, headers: { 'retry-after': '60' }, text },
  origin,
  now,
});

const statuses = [400, 401, 403, 404, 409, 429, 500];

const statusRows = (): string[][] =>
  [
    ...statuses.map((status) => [String(status), failureFromResponse(refused(status))] as const),
    [
      'several organizations',
      organizationIn({ results: [{ name: 'Acme' }, { name: 'Beta' }] }, undefined).failure!,
    ] as const,
    ['404, no such route', createOperationAvailability(origin).recordFailure(refused(404))!] as const,
  ].map(([status, { kind, reason, next }]) => [status, code(kind), reason, next]);

/** One code of each family that is explained as a whole. */
const familyCodes = ['CERT_HAS_EXPIRED', 'HPE_INVALID_CONSTANT', 'ECONNRESET'];

const proxy = { variable: 'HTTPS_PROXY', address: 'http://proxy.example.com:3128', url: '' };
const strange = new UnreadableEncoding('the body has the content encoding "compress"');

const networkFaults = [
  ...[...explainedCodes, ...familyCodes].map((name) => [code(name), transportFaultOf({ code: name }, origin)] as const),
  ['a proxy', transportFaultOf(refusedTunnel(proxy, 'api.example.com:443', 403), origin)] as const,
  ['another encoding', transportFaultOf(strange, origin)] as const,
  ['a redirect', redirectFault(origin, new URL('https://other.example.com/'))] as const,
  ['redirects without end', redirectLoop(origin)] as const,
  ['the deadline of the call', stoppedFault('timeout', true)] as const,
  ['the caller', stoppedFault('canceled', true)] as const,
  ['this program ends', closedFault] as const,
];

const networkRows = (): string[][] => {
  const causes = Map.groupBy(networkFaults, ([, { reason }]) => reason);
  return [...causes.values()].map((same) => {
    const { kind, reason, next, sent } = same[0]![1];
    return [same.map(([cause]) => cause).join(', '), code(kind), reason, next, sent ? 'maybe' : 'no'];
  });
};

const tool = tools.find(({ name }) => name === 'stop_environment')!;
const plan: RefusedPlan = { tier: 'destructive', text: '' };
const apiError = new ApiError(tool.name, failureFromResponse(refused(500, 'the database is down')));

/** An example of each kind of failure. */
const examples: { readonly [Kind in Failure['kind']]: Extract<Failure, { kind: Kind }> } = {
  bad_arguments: { kind: 'bad_arguments', issues: ['"environment" is required'] },
  bad_address: { kind: 'bad_address', problem: emptyProblem('environment', 'shop/live/api', 'wrong_kind') },
  denied: {
    kind: 'denied',
    denial: { rule: 'the policy denies it', setBy: 'policy.yaml, deny[0]', instead: 'Ask whoever runs this server.' },
  },
  not_confirmed: { kind: 'not_confirmed', why: 'declined', plan },
  pending: { kind: 'pending', code: 'C7DR-JQW2', command: 'infra-mcp approve C7DR-JQW2', plan },
  not_recorded: { kind: 'not_recorded', requestId: 'R' },
  store_unavailable: { kind: 'store_unavailable', requestId: 'R' },
  cancelled: { kind: 'cancelled' },
  not_connected: { kind: 'not_connected', requestId: 'R' },
  not_possible: { kind: 'not_possible', what: 'the deployment has ended', next: 'There is nothing to cancel.' },
  partly: {
    kind: 'partly',
    done: ['the first was stopped'],
    failures: [{ what: 'the second', error: { kind: 'api', error: apiError } }],
    of: 3,
  },
  afterwards: { kind: 'afterwards', done: ['it was stopped'], error: { kind: 'api', error: apiError } },
  not_as_asked: {
    kind: 'not_as_asked',
    what: 'the environment is on another cluster than cluster C',
    next: 'Tell the user.',
    seen: 'environment live is on cluster D',
  },
  api: { kind: 'api', error: apiError },
  internal: { kind: 'internal', requestId: 'R', begun: true },
};

const refusals: Readonly<Record<Refusal, true>> = {
  cannot_ask: true,
  too_long: true,
  operator_only: true,
  two_person: true,
  no_such_method: true,
  client_error: true,
  unusable_answer: true,
  unanswered: true,
  declined: true,
  operator_refused: true,
  nobody_may_agree: true,
  too_many_of_caller: true,
  too_many_in_all: true,
  dismissed: true,
  not_agreed: true,
  invalid: true,
  used: true,
  other_call: true,
  changed: true,
  late: true,
};

const redactor = { text: (text: string) => text, echo: (text: string) => text };

/** The text before the plan. */
const textBeforePlan = (failure: Failure): string =>
  failureText(failure, { tool, redactor, hidden: [] }).split('\nIt would do this')[0]!;

const failureRows = (): string[][] =>
  Object.values(examples).map((failure) => [code(failure.kind), outcomeOf(failure).outcome, textBeforePlan(failure)]);

/** How every text about a call that nobody agreed to begins. */
const refusalOpening = `${tool.name} was not carried out and nothing has changed: `;

/** @throws Error if a text begins otherwise: then the page would not say how. */
const refusalRow = (why: Refusal): string[] => {
  const text = textBeforePlan({ kind: 'not_confirmed', why, plan });
  if (!text.startsWith(refusalOpening)) throw new Error(`the text of ${why} doesn't begin like the others: ${text}`);
  return [code(why), text.slice(refusalOpening.length)];
};

const refusalRows = (): string[][] => (Object.keys(refusals) as Refusal[]).map(refusalRow);

/** docs/errors.md: every failure of a call, with the program's own text. */
export const errorsPage = (): string =>
  `${[
    '# Errors',
    `For users of an assistant: what it is told when a call fails. Search the page for a few words of yours. The texts are the program's own, for an example platform at ${origin} and an environment named live; real ones have your names and ids, and never a secret.`,
    '## Failures of a call',
    `Outcome is what the audit log records. A program reads the failure from the metadata of the result instead of from its text: \`_meta["${metaKeys.failure}"]\` has the failure as \`kind\` (or \`not_offered_here\`, \`question_ended\`, \`withheld\`), the outcome, and where they apply \`why\` (the codes below), the \`operation\` that failed with its HTTP \`status\`, \`retry_at\`, the \`code\` under which the call waits, and, of several changes, how many were \`done\` and the \`failures\` of others.`,
    markdownTable(['Failure', 'Outcome', 'Text'], failureRows()),
    '## Calls that nobody agreed to',
    `Each text begins with "${refusalOpening.trim()}"`,
    markdownTable(['Why', 'Text'], refusalRows()),
    '## Error responses of the platform',
    'If a change was sent and got no response, it may or may not have been made. The error says so, and the client never retries a request that could take effect twice. Messages of the platform are quoted as data.',
    markdownTable(['Status', 'Kind', 'Reason', 'What to do'], statusRows()),
    '## Connection errors',
    markdownTable(['Cause', 'Kind', 'Reason', 'What to do', 'Request sent?'], networkRows()),
    'HTTP callers can also get [errors of the HTTP server itself](http.md). Invalid options abort startup; `infra-mcp doctor` says how to fix them.',
  ].join('\n\n')}\n`;
