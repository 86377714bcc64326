import * as z from 'zod';
import { operations } from '../../src/contract/operations.ts';
import type { DeploymentAction } from '../../src/contract/states.ts';
import { standingOf, type Asked, type ServiceStatus, type Standing } from '../../src/insight/ends.ts';
import { isRecord, type JsonRecord, type Sight } from '../../src/mcp/tool.ts';
import { readAspect, type Subject } from '../service/any-kind.ts';

/** How a deployment was left. */
export interface Left {
  readonly outcome: 'succeeded' | 'failed' | 'canceled' | 'superseded' | 'running' | 'not_seen';
  readonly status: ServiceStatus;
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
export async function readStatus(sight: Sight, subject: Subject): Promise<ServiceStatus | undefined> {
  if (subject.kind !== 'environment') return readAspect(sight, subject, 'status');
  const statuses = await sight.attempt(operations.get_environment_status, { environment_id: subject.id });
  const environment: unknown = statuses?.environment;
  return isRecord(environment) ? environment : undefined;
}

const outcomes: Partial<Record<Standing, Left['outcome']>> = { good: 'succeeded', bad: 'failed', superseded: 'superseded' };

const outcomeOf = (standing: Standing, { state }: ServiceStatus): Left['outcome'] | undefined =>
  standing === 'bad' && state === 'CANCELED' ? 'canceled' : outcomes[standing];

/** How a wait is left whose time is over: what the platform never showed isn't known to go on. */
const unended = (standing: Standing, asked: Asked, { state }: ServiceStatus): Left['outcome'] =>
  standing === 'stale' || (!asked.deployment && state === 'READY') ? 'not_seen' : 'running';

/** The part of the request budget below which a wait asks seldom. */
const lowBudget = 0.2;

/** How long to wait before asking again, in milliseconds: often at first, seldom when it takes long or requests are short. */
function intervalAfter(elapsed: number, sight: Sight): number {
  const budget = sight.budget();
  const isLow = budget !== undefined && budget.remaining < budget.limit * lowBudget;
  return isLow ? 10_000 : Math.min(5_000, 700 + elapsed / 5);
}

const told = (status: ServiceStatus, seconds: number): string => `${status.state ?? 'in an unknown state'}, ${seconds} s`;

/**
 * Waits until what was asked of a service or environment has ended, or the time is over.
 * @param seconds how long at most
 * @throws CallFailure where the platform doesn't offer the status; ApiError as it fails.
 */
export async function awaitEnd(sight: Sight, subject: Subject, asked: Asked, seconds: number = usualWait): Promise<Left> {
  const began = sight.now();
  const elapsed = (): number => sight.now() - began;
  const isOver = (): boolean => sight.isAborted() || elapsed() >= seconds * 1000 || sight.timeLeft() <= reserve;
  let last = '';
  for (;;) {
    const status = (await readStatus(sight, subject)) ?? sight.refuse(`the state of this ${subject.kind} can't be read here`, 'Ask whoever runs the platform how it went.');
    const standing = standingOf(asked, status);
    const outcome = outcomeOf(standing, status);
    const waited = Math.round(elapsed() / 1000);
    if (outcome !== undefined || isOver()) return { outcome: outcome ?? unended(standing, asked, status), status, waited_seconds: waited };
    const now = told(status, waited);
    if (now !== last) sight.progress(now);
    last = now;
    sight.forget();
    // Never past the time that is left, so that an answer always comes.
    const left = Math.min(seconds * 1000 - elapsed(), sight.timeLeft() - reserve);
    await sight.pause(Math.max(0, Math.min(intervalAfter(elapsed(), sight), left)));
  }
}

// What began a moment ago may not show yet: an end that was there before is looked at again after so long.
const settlingTime = 3_000;

/**
 * The same where the request's answer may have told no deployment: an end that is there at once may be the one from before,
 * and counts only when it is still there a moment later.
 */
export async function awaitNewEnd(sight: Sight, subject: Subject, asked: Asked, seconds: number = usualWait): Promise<Left> {
  const first = await awaitEnd(sight, subject, asked, seconds);
  const mayBeOld = !asked.deployment && first.outcome !== 'running' && first.waited_seconds === 0 && seconds * 1000 > settlingTime;
  if (!mayBeOld) return first;
  await sight.pause(settlingTime);
  sight.forget();
  const later = await readStatus(sight, subject);
  const isSame = later?.deployment_request_id === first.status.deployment_request_id && later?.state === first.status.state;
  return isSame ? first : awaitEnd(sight, subject, asked, seconds - settlingTime / 1000);
}

const textIn = (record: JsonRecord, member: string): string | undefined => (typeof record[member] === 'string' ? record[member] : undefined);

/** What a platform's answer to a request says was begun. */
export const askedFor = (action: DeploymentAction, answer: JsonRecord, before?: ServiceStatus): Asked => ({
  action,
  deployment: textIn(answer, 'deployment_request_id') ?? textIn(answer, 'last_deployment_id'),
  before,
});
