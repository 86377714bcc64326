import * as z from 'zod';
import { operations } from '../../src/contract/operations.ts';
import { terminalOutcome, type DeploymentAction } from '../../src/contract/states.ts';
import { deploymentProgressOf, type RequestedAction, type LenientServiceStatus, type DeploymentProgress } from '../../src/analysis/deployment-progress.ts';
import { readDeployment, type HistoryItem } from '../../src/analysis/history.ts';
import { isRecord, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { readAspect, type Subject } from '../service/any-kind.ts';

/** How a deployment was left. */
export interface Left {
  readonly outcome: 'succeeded' | 'failed' | 'canceled' | 'superseded' | 'running' | 'not_seen' | 'never_deployed';
  readonly status: LenientServiceStatus;
  readonly waited_seconds: number;
}

/** Longest a wait lasts, in seconds: clients give up on a call after sixty. */
export const longestWait = 50;
const usualWait = 45;

// What follows a wait, such as a diagnosis, needs time too.
const reserve = 4_000;

/** The argument of tools that can wait for the end of what they began. */
export const wait = { wait: z.boolean().optional().describe(`Wait for the end, at most ${longestWait} s.`) };

/** The argument that says how long to wait, in seconds. */
export const waitTime = z.int().min(1).max(longestWait).default(usualWait).describe('Seconds.');

/** The status of a service, or of an environment as a whole; undefined where the platform doesn't tell. */
export async function readStatus(context: ToolContext, subject: Subject): Promise<LenientServiceStatus | undefined> {
  if (subject.kind !== 'environment') return readAspect(context, subject, 'status');
  const statuses = await context.attempt(operations.get_environment_status, { environment_id: subject.id });
  const environment: unknown = statuses?.environment;
  return isRecord(environment) ? environment : undefined;
}

const outcomes: Partial<Record<DeploymentProgress, Left['outcome']>> = { good: 'succeeded', bad: 'failed', superseded: 'superseded' };

const outcomeOf = (standing: DeploymentProgress, { state }: LenientServiceStatus): Left['outcome'] | undefined =>
  standing === 'bad' && state === 'CANCELED' ? 'canceled' : outcomes[standing];

const hasNone = ({ state, deployment_request_id: id }: LenientServiceStatus): boolean => state === 'READY' && (id ?? undefined) === undefined;

const isAtRest = (status: LenientServiceStatus): boolean => hasNone(status) || terminalOutcome('DEPLOY', status.state ?? '') !== undefined;

/** What to say where nothing of what was asked for shows and nothing else is under way; undefined where something does. */
function unseen(standing: DeploymentProgress, { deployment }: RequestedAction, status: LenientServiceStatus): Left['outcome'] | undefined {
  if (standing !== 'stale' && !hasNone(status)) return undefined;
  return isAtRest(status) ? (deployment || !hasNone(status) ? 'not_seen' : 'never_deployed') : undefined;
}

/** The part of the request budget below which a wait asks seldom. */
const lowBudget = 0.2;

/** How long to wait before asking again, in milliseconds: often at first, seldom when it takes long or requests are short. */
function intervalAfter(elapsed: number, context: ToolContext): number {
  const budget = context.budget();
  const isLow = budget !== undefined && budget.remaining < budget.limit * lowBudget;
  return isLow ? 10_000 : Math.min(5_000, 700 + elapsed / 5);
}

const told = (status: LenientServiceStatus, seconds: number): string => `${status.state ?? 'in an unknown state'}, ${seconds} s`;

// What began a moment ago may not show yet, for so long: where it was ordered in this call, and where it was before.
const newsTime = 10_000;
const settlingTime = 3_000;

/** How a wait goes about it. */
interface Waiting {
  /** How long at most, in seconds. */
  readonly seconds?: number;
  /** Whether it was ordered before this call: then what doesn't show is looked for once more, and no longer. */
  readonly isEarlier?: boolean;
}

/**
 * Waits until what was asked of a service or environment has ended, the time is over, or nothing of it shows.
 * @throws CallFailure where the platform doesn't offer the status; ApiError as it fails.
 */
export async function awaitEnd(context: ToolContext, subject: Subject, asked: RequestedAction, { seconds = usualWait, isEarlier = false }: Waiting = {}): Promise<Left> {
  const began = context.now();
  const patience = isEarlier ? settlingTime : newsTime;
  const elapsed = (): number => context.now() - began;
  const isOver = (): boolean => context.isAborted() || elapsed() >= seconds * 1000 || context.timeLeft() <= reserve;
  let last = '';
  for (;;) {
    const status = (await readStatus(context, subject)) ?? context.refuse(`the state of this ${subject.kind} can't be read here`, 'Ask whoever runs the platform how it went.');
    const standing = deploymentProgressOf(asked, status);
    const outcome = outcomeOf(standing, status);
    const nothing = unseen(standing, asked, status);
    const waited = Math.round(elapsed() / 1000);
    if (outcome !== undefined || isOver()) return { outcome: outcome ?? nothing ?? (standing === 'stale' ? 'not_seen' : 'running'), status, waited_seconds: waited };
    if (nothing !== undefined && elapsed() >= patience) return { outcome: nothing, status, waited_seconds: waited };
    const now = told(status, waited);
    if (now !== last) context.progress(now);
    last = now;
    context.forget();
    const interval = nothing !== undefined && isEarlier ? patience : intervalAfter(elapsed(), context);
    // Never past the time that is left, so that an answer always comes.
    const left = Math.min(seconds * 1000 - elapsed(), context.timeLeft() - reserve);
    await context.pause(Math.max(0, Math.min(interval, left)));
  }
}

/**
 * The same where the request's answer may have told no deployment: an end that is there at once may be the one from before,
 * and counts only when it is still there a moment later.
 */
export async function awaitNewEnd(context: ToolContext, subject: Subject, asked: RequestedAction, { seconds = usualWait, ...how }: Waiting = {}): Promise<Left> {
  const first = await awaitEnd(context, subject, asked, { seconds, ...how });
  const mayBeOld = !asked.deployment && first.outcome !== 'running' && first.waited_seconds === 0 && seconds * 1000 > settlingTime;
  if (!mayBeOld) return first;
  await context.pause(settlingTime);
  context.forget();
  const later = await readStatus(context, subject);
  const isSame = later?.deployment_request_id === first.status.deployment_request_id && later?.state === first.status.state;
  return isSame ? first : awaitEnd(context, subject, asked, { ...how, seconds: seconds - settlingTime / 1000 });
}

/** The same for what was ordered before this call. A deployment that the status doesn't show may be an earlier one, which the history does. */
export async function awaitEarlierEnd(context: ToolContext, subject: Subject, asked: RequestedAction, seconds: number): Promise<Left> {
  const left = await awaitNewEnd(context, subject, asked, { seconds, isEarlier: true });
  if (left.outcome !== 'not_seen') return left;
  const history = await readAspect(context, subject, 'deployments');
  const items = Array.isArray(history?.['results']) ? (history['results'] as HistoryItem[]) : [];
  const isKnown = items.some((item) => readDeployment(item).id === asked.deployment);
  return isKnown ? { ...left, outcome: 'superseded' } : left;
}

const textIn = (record: JsonRecord, member: string): string | undefined => (typeof record[member] === 'string' ? record[member] : undefined);

/** What a platform's answer to a request says was begun. */
export const askedFor = (action: DeploymentAction, answer: JsonRecord, before?: LenientServiceStatus): RequestedAction => ({
  action,
  deployment: textIn(answer, 'deployment_request_id') ?? textIn(answer, 'last_deployment_id'),
  before,
});
