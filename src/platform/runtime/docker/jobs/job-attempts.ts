import { asSubject, condition, type Condition } from '../../../../contract/index.ts';
import { conditionLine, type RuntimeLogLine, type Task } from '../../index.ts';
import type { DockerContext, NodeReach, RegistryAccess } from '../docker-context.ts';
import type { DockerTask } from '../api/index.ts';
import { cameTooEarly, engineStart } from '../engine-start.ts';
import { hasEnded } from '../instance-states.ts';
import { unschedulable } from '../nodes/fitting-nodes.ts';
import { unbegun } from '../nodes/unbegun-instances.ts';
import { instanceFailure, unreadiness, wasUnhealthy } from '../services/instance-failure.ts';
import { podName } from '../names.ts';
import { runRulesOf } from './run-rules.ts';
import { versionShown } from '../version.ts';
import { placementMilliseconds } from '../waits.ts';

/**
 * How long after the last attempt another one would have started, in milliseconds. The engine forgets old attempts,
 * which are then not counted.
 */
const lastAttemptMilliseconds = 15_000;

/** The last reported state of each attempt, by the id of its task. */
export type ToldAttempts = Readonly<Record<string, 'running' | 'failed' | 'complete'>>;

/** Whether an attempt has failed, according to its node. */
export const hasAttemptFailed = ({ Status }: DockerTask): boolean =>
  Status.State === 'failed' || Status.State === 'rejected';

/** The state of an attempt to report; undefined if there is none yet. */
const reportedAttempt = (task: DockerTask): ToldAttempts[string] | undefined =>
  hasAttemptFailed(task)
    ? 'failed'
    : task.Status.State === 'running' || task.Status.State === 'complete'
      ? task.Status.State
      : undefined;

const countFailed = (told: ToldAttempts): number => Object.values(told).filter((each) => each === 'failed').length;

/** Attempts that were lost with their nodes, by the ids of their tasks: the engine doesn't report that they ended. */
export type LostAttempts = ReadonlyMap<string, { readonly why: Condition }>;

const failureOf = async (
  context: NodeReach & RegistryAccess,
  task: DockerTask,
  lost: LostAttempts,
  signal: AbortSignal,
): Promise<Condition> => lost.get(task.ID)?.why ?? instanceFailure(context, task, signal);

/** Returns one line for each attempt that has started or failed since the last report, and the updated report. */
export async function attemptLines(
  context: NodeReach & RegistryAccess & Pick<DockerContext, 'clock'>,
  task: Task,
  tasks: readonly DockerTask[],
  lost: LostAttempts,
  told: ToldAttempts,
  signal: AbortSignal,
): Promise<{ readonly lines: readonly RuntimeLogLine[]; readonly told: ToldAttempts }> {
  const { retries, cause } = runRulesOf(task);
  const lines: RuntimeLogLine[] = [];
  let all = told;
  for (const each of tasks.toSorted((one, other) => one.CreatedAt.localeCompare(other.CreatedAt))) {
    const now = reportedAttempt(each);
    if (now === undefined || now === all[each.ID]) continue;
    const pod = podName(task.service, each.Slot, each.ID);
    const place = { at: context.clock.now(), pod, version: versionShown(task) };
    if (all[each.ID] === undefined) lines.push({ ...place, message: `Started ${pod}` });
    all = { ...all, [each.ID]: now };
    if (now !== 'failed') continue;
    // In sequence: each attempt adds to the count of failures.
    const why = cause(await failureOf(context, each, lost, signal));
    lines.push(
      conditionLine(condition('RUN_ATTEMPT_FAILED', { nth: countFailed(all), most: retries + 1, cause: why }), place),
    );
  }
  return { lines, told: all };
}

/** How a run has ended: why it failed, or `{}` if it succeeded. */
export interface RunEnd {
  readonly failure?: Condition;
  /** The engine had only just started and could start none of it: the run can be started again. */
  readonly neverBegan?: true;
}

const newest = (tasks: readonly DockerTask[]): DockerTask | undefined =>
  tasks.toSorted((one, other) => other.Status.Timestamp.localeCompare(one.Status.Timestamp))[0];

/** The times of a run, in milliseconds since the epoch: when it was created, and since when no node can take it. */
export interface RunTimes {
  readonly since: number;
  readonly unschedulableSince?: number;
}

/**
 * The state of a run's attempts: the newest is requested and has no instance yet, is under way or has ended without a
 * failure, has failed and may be followed by another, or has failed and was the last.
 */
export type Attempts = 'asked for' | 'under way' | 'to be tried again' | 'used up';

/** The parts of a run on the engine. */
export interface RunSeen {
  readonly tasks: readonly DockerTask[];
  readonly attempts: Attempts;
  readonly lost: LostAttempts;
  readonly told: ToldAttempts;
}

/** Returns how a run has ended; undefined while it hasn't. */
export async function runEnd(
  context: NodeReach & RegistryAccess & Pick<DockerContext, 'clock'>,
  task: Task,
  { tasks, attempts, lost, told }: RunSeen,
  { since, unschedulableSince }: RunTimes,
  signal: AbortSignal,
): Promise<RunEnd | undefined> {
  const now = context.clock.now();
  const { noun, limit, cause } = runRulesOf(task);
  const complete = tasks.find(({ Status }) => Status.State === 'complete');
  if (complete !== undefined)
    return (await wasUnhealthy(context, complete, signal))
      ? { failure: condition('RUN_UNHEALTHY', { what: noun, cause: await unreadiness(context, complete, signal) }) }
      : {};
  const failed = countFailed(told);
  const last = newest(tasks.filter(hasAttemptFailed));
  if (lost.size > 0)
    return {
      failure: condition('RUN_LOST', { what: noun, cause: cause(await failureOf(context, last!, lost, signal)) }),
    };
  const isOver =
    attempts === 'under way' &&
    tasks.length > 0 &&
    tasks.every(hasEnded) &&
    now - Date.parse(newest(tasks)!.Status.Timestamp) > lastAttemptMilliseconds;
  if (attempts === 'used up' || isOver) {
    const start = await engineStart(context, signal);
    if (start !== undefined && tasks.every((each) => cameTooEarly(each, [start]))) return { neverBegan: true };
    const why =
      last === undefined ? condition('ENDED_BY_ENGINE', {}) : cause(await failureOf(context, last, lost, signal));
    return { failure: condition('RUN_FAILED', { what: noun, attempts: failed, cause: why }) };
  }
  const waiting =
    unschedulableSince !== undefined && now - unschedulableSince > placementMilliseconds
      ? await unschedulable(context, noun, tasks, signal)
      : undefined;
  if (waiting !== undefined) return { failure: waiting };
  const forgotten = await unbegun(context, asSubject(noun), tasks, since, signal);
  if (forgotten !== undefined) return { failure: forgotten };
  if (now - since > limit.seconds * 1000)
    return { failure: condition('TIME_LIMIT_EXCEEDED', { what: noun, ...limit }) };
  return undefined;
}
