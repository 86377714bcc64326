import type { Observation, RuntimeCall, Task } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import { type DockerService, listDockerTasks, type DockerTask } from '../engine/index.ts';
import { isUnplaced, hasEnded } from '../instance-states.ts';
import { newLines } from '../observation/instance-logs.ts';
import { attemptLines, runEnd } from './job-attempts.ts';
import { runGoesOn, type RunProgress } from './job-progress.ts';
import { attemptsOf, tryAgain } from './job-retry.ts';
import { endedAsLost, lostInstances } from '../nodes/lost-nodes.ts';
import { dockerServiceName } from '../names.ts';
import { readPlan } from '../terraform/plan.ts';

/** How long reading the end of a log may take, in milliseconds. */
const logEndMilliseconds = 60_000;

const idsOf = (tasks: readonly DockerTask[]): readonly string[] => tasks.map(({ ID }) => ID);

/**
 * Observes a run that the engine has: its attempts, and what they logged since. After one that failed, the next one is begun. Once it has ended, its log is read again
 * until all of it is here, because the engine forgets it with the run.
 */
export async function watchRun(context: DockerContext, task: Task, progress: RunProgress, present: DockerService, call: RuntimeCall): Promise<Observation> {
  const { signal } = call;
  const now = context.clock.now();
  const { since = now, unplacedSince = now } = progress;
  const found = await listDockerTasks(context.docker, { service: [dockerServiceName(task.service)] }, { signal });
  const lost = await lostInstances(context, found, signal);
  const tasks = found.map((each) => (lost.has(each.ID) ? endedAsLost(each) : each));
  await context.leftLinks.removeFor(tasks, signal);
  // Read after the tasks: of those that have ended, these are the last lines.
  const logging = tasks.filter(({ ID }) => !progress.read.includes(ID) && !lost.has(ID));
  // A read that waits for a node that is lost comes to no end.
  const logged = logging.length === 0 ? { lines: [], reported: progress.reported, isComplete: true } : await newLines(context, task, logging, progress.reported, signal);
  const attempts = await attemptLines(context, task, tasks, lost, progress.told, signal);
  const plan = task.isPlan ? readPlan(task, progress.plan, logged.lines) : undefined;
  const next = {
    since, ...(progress.variables !== undefined && { variables: progress.variables }), ...(plan && { plan }), ...(tasks.some(isUnplaced) && { unplacedSince }), told: attempts.told, reported: logged.reported,
    read: [...progress.read, ...(logged.isComplete ? idsOf(logging.filter(hasEnded)) : [])],
  };
  const stand = attemptsOf(task, present, tasks);
  const runsEnd = progress.end ?? (await runEnd(context, task, { tasks, attempts: stand, lost, told: attempts.told }, next, signal));
  const lines = [...logged.lines, ...attempts.lines];
  if (runsEnd === undefined) {
    if (stand === 'to be tried again') await tryAgain(context, present, tasks, call);
    return runGoesOn(context, task, next, { lines });
  }
  const end = { at: now, ...runsEnd };
  const isGivenUp = !logged.isComplete && now - end.at > logEndMilliseconds;
  const messages = isGivenUp ? ['The end of the log could not be read from the engine.'] : [];
  return runGoesOn(context, task, { ...next, end: { ...end, isTold: logged.isComplete || isGivenUp } }, { lines, messages });
}
