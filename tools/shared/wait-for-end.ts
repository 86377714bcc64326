import * as z from 'zod';
import { operations, terminalOutcome, type DeploymentAction } from '../../src/contract/index.ts';
import {
  deploymentProgressOf,
  saysNeverDeployed,
  type RequestedAction,
  type LenientServiceStatus,
  type DeploymentProgress,
  readDeployment,
  type HistoryItem,
} from '../../src/analysis/index.ts';
import { isRecord, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { readAspect, statusOf, type Subject } from './any-service.ts';

/** The result of waiting for a deployment. */
export interface WaitResult {
  readonly outcome: 'succeeded' | 'failed' | 'canceled' | 'superseded' | 'running' | 'not_seen' | 'never_deployed';
  readonly status: LenientServiceStatus;
  readonly waited_seconds: number;
}

/** Longest wait, in seconds: clients time out a call after sixty. */
export const longestWait = 50;
export const defaultWait = 45;

// Time in milliseconds that is reserved for work after a wait, such as a diagnosis.
export const reserve = 4_000;

/** The argument of tools that can wait for the end of the deployment they start. */
export const waitForEnd = { wait: z.boolean().optional().describe(`Up to ${longestWait} s.`) };

/** The argument for the time to wait, in seconds. */
export const waitTime = z.int().min(1).max(longestWait).default(defaultWait).describe('Seconds.');

/** Reads the status of a service, or of an environment as a whole; undefined if the platform doesn't show it. */
export async function readStatus(context: ToolContext, subject: Subject): Promise<LenientServiceStatus | undefined> {
  if (subject.kind !== 'environment') return statusOf(context, subject);
  const statuses = await context.attempt(operations.get_environment_status, { environment_id: subject.id });
  const environment: unknown = statuses?.environment;
  return isRecord(environment) ? environment : undefined;
}

const outcomes: Partial<Record<DeploymentProgress, WaitResult['outcome']>> = {
  good: 'succeeded',
  bad: 'failed',
  superseded: 'superseded',
};

const outcomeOf = (progress: DeploymentProgress, { state }: LenientServiceStatus): WaitResult['outcome'] | undefined =>
  progress === 'bad' && state === 'CANCELED' ? 'canceled' : outcomes[progress];

const wasNeverDeployed = (status: LenientServiceStatus): boolean =>
  saysNeverDeployed(status) || (status.state === 'READY' && (status.deployment_request_id ?? undefined) === undefined);

const isAtRest = (status: LenientServiceStatus): boolean =>
  wasNeverDeployed(status) || terminalOutcome('DEPLOY', status.state ?? '') !== undefined;

/**
 * The outcome if the status shows neither the requested deployment nor another one in progress; otherwise undefined.
 */
function missingOutcome(
  progress: DeploymentProgress,
  { deployment }: RequestedAction,
  status: LenientServiceStatus,
): WaitResult['outcome'] | undefined {
  if (progress !== 'stale' && !wasNeverDeployed(status)) return undefined;
  return isAtRest(status) ? (deployment || !wasNeverDeployed(status) ? 'not_seen' : 'never_deployed') : undefined;
}

/** Fraction of the request budget below which a wait polls rarely. */
const lowBudgetFraction = 0.2;

/** The poll interval in milliseconds: it grows with the elapsed time, and is long if few requests are left. */
export function pollInterval(elapsed: number, context: ToolContext): number {
  const budget = context.budget();
  const isLow = budget !== undefined && budget.remaining < budget.limit * lowBudgetFraction;
  return isLow ? 10_000 : Math.min(5_000, 700 + elapsed / 5);
}

const progressText = (status: LenientServiceStatus, seconds: number): string =>
  `${status.state ?? 'in an unknown state'}, ${seconds} s`;

// How long a new deployment may remain invisible, in milliseconds: if this call requested it, and if an earlier one
// did.
export const visibilityTimeout = 10_000;
export const settlingTime = 3_000;

/**
 * Whether an action requested before this call may not be visible yet. If the caller changed nothing recently, the
 * platform's data is current.
 */
export const mayBeUnseen = (context: ToolContext): boolean => context.sinceChange() < visibilityTimeout;

/** How long to poll for a requested deployment while the platform shows none. An id proves that there is one. */
function graceOf(context: ToolContext, { deployment }: RequestedAction, isEarlier: boolean): number {
  if (!isEarlier) return visibilityTimeout;
  return deployment || mayBeUnseen(context) ? settlingTime : 0;
}

/** Options of a wait. */
interface WaitOptions {
  /** Longest wait, in seconds. */
  readonly seconds?: number;
  /** Whether it was requested before this call: then a deployment that isn't visible is checked only once more. */
  readonly isEarlier?: boolean;
  /** The platform's response to the request. If that shows the deployment on its way, the first look comes later. */
  readonly begun?: JsonRecord;
}

/** The response as the first status, if it shows that the requested deployment has begun and not ended. */
function begunStatus(requested: RequestedAction, begun: JsonRecord = {}): LenientServiceStatus | undefined {
  const status = begun as LenientServiceStatus;
  const isKnown = typeof status.state === 'string' && typeof requested.deployment === 'string';
  return isKnown && deploymentProgressOf(requested, status) === 'moving' ? status : undefined;
}

/** Whether a wait is over: its time is up, or the call's. */
export const isOver = (context: ToolContext, startedAt: number, seconds: number): boolean =>
  context.isAborted() || context.now() - startedAt >= seconds * 1000 || context.timeLeft() <= reserve;

/**
 * Reads what a call began, again and again, until it has ended, the wait is over, or the platform no longer shows it.
 * @param begun as the platform answered it
 * @param statusOf what is shown as progress
 * @returns it as it was shown last
 */
export async function untilEnded(
  context: ToolContext,
  begun: JsonRecord,
  {
    hasEnded,
    statusOf: status,
    read,
  }: {
    readonly hasEnded: (shown: JsonRecord) => boolean;
    readonly statusOf: (shown: JsonRecord) => string;
    readonly read: () => Promise<JsonRecord | undefined>;
  },
): Promise<JsonRecord> {
  const startedAt = context.now();
  for (let shown = begun; ;) {
    if (hasEnded(shown) || isOver(context, startedAt, longestWait)) return shown;
    const elapsed = context.now() - startedAt;
    context.progress(`${status(shown)}, ${Math.round(elapsed / 1000)} s`);
    context.forget();
    // Each check decides whether there is another one.
    await context.pause(Math.min(pollInterval(elapsed, context), longestWait * 1000 - elapsed));
    const next = await read();
    if (next === undefined) return shown;
    shown = next;
  }
}

/**
 * Waits until a requested deployment of a service or environment has finished, the time is up, or it doesn't become
 * visible.
 * @throws CallFailure if the platform doesn't offer the status; ApiError if it fails.
 */
export async function awaitEnd(
  context: ToolContext,
  subject: Subject,
  requested: RequestedAction,
  { seconds = defaultWait, isEarlier = false, begun }: WaitOptions = {},
): Promise<WaitResult> {
  const startedAt = context.now();
  let first = isOver(context, startedAt, seconds) ? undefined : begunStatus(requested, begun);
  const gracePeriod = graceOf(context, requested, isEarlier);
  const elapsed = (): number => context.now() - startedAt;
  let last = '';
  for (;;) {
    const status =
      first ??
      (await readStatus(context, subject)) ??
      context.refuse(
        `the state of this ${subject.kind} can't be read here`,
        'Ask whoever runs the platform how it went.',
      );
    first = undefined;
    const progress = deploymentProgressOf(requested, status);
    const outcome = outcomeOf(progress, status);
    const missing = missingOutcome(progress, requested, status);
    const waited = Math.round(elapsed() / 1000);
    if (outcome !== undefined || isOver(context, startedAt, seconds))
      return {
        outcome: outcome ?? missing ?? (progress === 'stale' ? 'not_seen' : 'running'),
        status,
        waited_seconds: waited,
      };
    if (missing !== undefined && elapsed() >= gracePeriod) return { outcome: missing, status, waited_seconds: waited };
    const message = progressText(status, waited);
    if (message !== last) context.progress(message);
    last = message;
    context.forget();
    const interval = missing !== undefined && isEarlier ? gracePeriod : pollInterval(elapsed(), context);
    // Never longer than the remaining time, so that there is always an answer.
    const remaining = Math.min(seconds * 1000 - elapsed(), context.timeLeft() - reserve);
    await context.pause(Math.max(0, Math.min(interval, remaining)));
  }
}

/**
 * Like `awaitEnd`, but also for requests whose response had no deployment id: an end that is visible at once may be
 * that of an earlier deployment, and counts only if it is still there a moment later. If the caller changed nothing
 * recently, it counts immediately.
 */
export async function awaitNewEnd(
  context: ToolContext,
  subject: Subject,
  requested: RequestedAction,
  { seconds = defaultWait, ...options }: WaitOptions = {},
): Promise<WaitResult> {
  const first = await awaitEnd(context, subject, requested, { seconds, ...options });
  const mayBeOld =
    !requested.deployment &&
    first.outcome !== 'running' &&
    first.waited_seconds === 0 &&
    seconds * 1000 > settlingTime &&
    mayBeUnseen(context);
  if (!mayBeOld) return first;
  await context.pause(settlingTime);
  context.forget();
  const later = await readStatus(context, subject);
  const isSame =
    later?.deployment_request_id === first.status.deployment_request_id && later?.state === first.status.state;
  return isSame ? first : awaitEnd(context, subject, requested, { ...options, seconds: seconds - settlingTime / 1000 });
}

/**
 * Like `awaitNewEnd`, for a deployment requested before this call. If the status doesn't show it, the history is
 * searched.
 */
export async function awaitEarlierEnd(
  context: ToolContext,
  subject: Subject,
  requested: RequestedAction,
  seconds: number,
): Promise<WaitResult> {
  const result = await awaitNewEnd(context, subject, requested, { seconds, isEarlier: true });
  if (result.outcome !== 'not_seen') return result;
  const history = await readAspect(context, subject, 'deployments');
  const items = Array.isArray(history?.['results']) ? (history['results'] as HistoryItem[]) : [];
  const isKnown = items.some((item) => readDeployment(item).id === requested.deployment);
  return isKnown ? { ...result, outcome: 'superseded' } : result;
}

/** Whether a wait ended at its first look: nothing was in progress then. */
export const wasAtRest = ({ outcome, status, waited_seconds: waited }: WaitResult): boolean =>
  waited === 0 && ['succeeded', 'failed', 'canceled'].includes(outcome) && status.state !== 'DELETED';

const textIn = (record: JsonRecord, member: string): string | undefined =>
  typeof record[member] === 'string' ? record[member] : undefined;

/**
 * The requested action, with the id of the started deployment from the platform's response. That is never its `id`,
 * which may be the service's, nor its last deployment, which may be the previous one.
 */
export const askedFor = (
  action: DeploymentAction,
  answer: JsonRecord,
  before?: LenientServiceStatus,
): RequestedAction => ({ action, deployment: textIn(answer, 'deployment_request_id'), before });
