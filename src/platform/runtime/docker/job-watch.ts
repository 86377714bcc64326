import type { Observation, Task } from '../index.ts';
import type { DockerContext } from './docker-context.ts';
import { listDockerTasks, type DockerTask } from './engine/index.ts';
import { isUnplaced } from './instance-failure.ts';
import { newLines } from './instance-logs.ts';
import { attemptLines, hasEnded, runEnd } from './job-attempts.ts';
import { runGoesOn, type RunProgress } from './job-progress.ts';
import { dockerServiceName } from './names.ts';

/** How long reading the end of a log may take, in milliseconds. */
const logEndMilliseconds = 60_000;

const idsOf = (tasks: readonly DockerTask[]): readonly string[] => tasks.map(({ ID }) => ID);

/**
 * Observes a run that the engine has: its attempts, and what they logged since. Once it has ended, its log is read again
 * until all of it is here, because the engine forgets it with the run.
 */
export async function watchRun(context: DockerContext, task: Task, progress: RunProgress, signal: AbortSignal): Promise<Observation> {
  const now = context.clock.now();
  const { since = now, unplacedSince = now } = progress;
  const tasks = await listDockerTasks(context.docker, { service: [dockerServiceName(task.service)] }, { signal });
  await context.leftLinks.removeFor(tasks, signal);
  // Read after the tasks: of those that have ended, these are the last lines.
  const logging = tasks.filter(({ ID }) => !progress.read.includes(ID));
  const logged = await newLines(context, task, logging, progress.reported, signal);
  const attempts = await attemptLines(context, task, tasks, progress.told, signal);
  const next = {
    since, ...(tasks.some(isUnplaced) && { unplacedSince }), told: attempts.told, reported: logged.reported,
    read: [...progress.read, ...(logged.isComplete ? idsOf(logging.filter(hasEnded)) : [])],
  };
  const found = progress.end ?? (await runEnd(context, task, tasks, attempts.told, next, signal));
  const lines = [...logged.lines, ...attempts.lines];
  if (found === undefined) return runGoesOn(context, task, next, { lines });
  const end = { at: now, ...found };
  const isGivenUp = !logged.isComplete && now - end.at > logEndMilliseconds;
  const messages = isGivenUp ? ['The end of the log could not be read from the engine.'] : [];
  return runGoesOn(context, task, { ...next, end: { ...end, isTold: logged.isComplete || isGivenUp } }, { lines, messages });
}
