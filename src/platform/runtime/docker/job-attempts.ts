import type { RuntimeLogLine, Task } from '../index.ts';
import type { DockerContext } from './docker-context.ts';
import type { DockerTask } from './engine/index.ts';
import { cameTooEarly, engineStart } from './engine-start.ts';
import { instanceFailure, isUnplaced, unreadiness, wasUnhealthy } from './instance-failure.ts';
import { jobSpecOf } from './job.ts';
import { podName } from './names.ts';
import { versionShown } from './version.ts';

/** How long an attempt may wait for a node with room, in milliseconds. */
const placementMilliseconds = 30_000;

/** How long after the last attempt another one would have begun, in milliseconds. The engine forgets old attempts, which then are not counted. */
const lastAttemptMilliseconds = 15_000;

/** What was told of each attempt, by the id of its task. */
export type ToldAttempts = Readonly<Record<string, 'running' | 'failed' | 'complete'>>;

const hasFailed = ({ Status }: DockerTask): boolean => Status.State === 'failed' || Status.State === 'rejected';

/** What is worth telling of an attempt; undefined while it is not. */
const toldOf = (task: DockerTask): ToldAttempts[string] | undefined =>
  (hasFailed(task) ? 'failed' : task.Status.State === 'running' || task.Status.State === 'complete' ? task.Status.State : undefined);

/** Whether an attempt has ended, so that it logs nothing more. */
export const hasEnded = (task: DockerTask): boolean => hasFailed(task) || ['complete', 'shutdown', 'remove', 'orphaned'].includes(task.Status.State);

const countFailed = (told: ToldAttempts): number => Object.values(told).filter((each) => each === 'failed').length;

/** One line for each attempt that began or failed, and what was told with these. */
export async function attemptLines(
  context: DockerContext, task: Task, tasks: readonly DockerTask[], told: ToldAttempts, signal: AbortSignal,
): Promise<{ readonly lines: readonly RuntimeLogLine[]; readonly told: ToldAttempts }> {
  const { max_nb_restart: retries } = jobSpecOf(task);
  const lines: RuntimeLogLine[] = [];
  let all = told;
  for (const each of tasks.toSorted((one, other) => one.CreatedAt.localeCompare(other.CreatedAt))) {
    const now = toldOf(each);
    if (now === undefined || now === all[each.ID]) continue;
    const pod = podName(task.service, each.Slot, each.ID);
    const line = (message: string): RuntimeLogLine => ({ at: context.clock.now(), message, pod, version: versionShown(task) });
    if (all[each.ID] === undefined) lines.push(line(`Started ${pod}`));
    all = { ...all, [each.ID]: now };
    // oxlint-disable-next-line no-await-in-loop -- one attempt after another.
    if (now === 'failed') lines.push(line(`Attempt ${countFailed(all)} of ${retries + 1} failed: ${await instanceFailure(context, each, signal)}`));
  }
  return { lines, told: all };
}

/** How a run has ended: why it failed, or `{}` if it succeeded. */
export interface RunEnd {
  readonly failure?: string;
  /** The engine had only just been started, and could not start any of it: it can begin again. */
  readonly neverBegan?: true;
}

const newest = (tasks: readonly DockerTask[]): DockerTask | undefined => tasks.toSorted((one, other) => other.Status.Timestamp.localeCompare(one.Status.Timestamp))[0];

/** How long a run has been what it is, in milliseconds since the epoch: when it was created, and since when no node has room for it. */
export interface RunTimes {
  readonly since: number;
  readonly unplacedSince?: number;
}

/** How a run has ended; undefined while it hasn't. */
export async function runEnd(context: DockerContext, task: Task, tasks: readonly DockerTask[], told: ToldAttempts, { since, unplacedSince }: RunTimes, signal: AbortSignal): Promise<RunEnd | undefined> {
  const now = context.clock.now();
  const { max_nb_restart: retries, max_duration_seconds: limit } = jobSpecOf(task);
  const complete = tasks.find(({ Status }) => Status.State === 'complete');
  if (complete !== undefined) return (await wasUnhealthy(context, complete, signal)) ? { failure: `The engine ended the job. ${await unreadiness(context, complete, signal)}` } : {};
  const failed = countFailed(told);
  const last = newest(tasks.filter(hasFailed));
  const isOver = tasks.length > 0 && tasks.every(hasEnded) && now - Date.parse(newest(tasks)!.Status.Timestamp) > lastAttemptMilliseconds;
  if (failed > retries || isOver) {
    const start = await engineStart(context, signal);
    if (start !== undefined && tasks.every((each) => cameTooEarly(each, [start]))) return { neverBegan: true };
    const why = last === undefined ? 'the engine ended it' : await instanceFailure(context, last, signal);
    return { failure: `The job failed${failed > 1 ? ` in all of its ${failed} attempts` : ''}: ${why}.` };
  }
  if (unplacedSince !== undefined && now - unplacedSince > placementMilliseconds) return { failure: `No node has room for the job: ${tasks.find(isUnplaced)?.Status.Err ?? 'the engine gave no reason'}.` };
  if (now - since > limit * 1000) return { failure: `The job was stopped: it exceeded its time limit of ${limit} seconds (max_duration_seconds).` };
  return undefined;
}
