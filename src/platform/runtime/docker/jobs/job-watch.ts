import { condition } from '../../../../contract/index.ts';
import type { Observation, RuntimeCall, Task } from '../../index.ts';
import type { DockerContext, RegistryAccess, NodeReach } from '../docker-context.ts';
import { type DockerService, listDockerTasks, type DockerTask, ignoring, updateDockerService } from '../api/index.ts';
import { isUnschedulable, hasEnded } from '../instance-states.ts';
import { newLines } from '../observation/instance-logs.ts';
import { attemptLines, runEnd, type Attempts, hasAttemptFailed } from './job-attempts.ts';
import { runGoesOn, type RunProgress } from './job-progress.ts';
import { endedAsLost, lostInstances } from '../nodes/lost-nodes.ts';
import { dockerServiceName } from '../names.ts';
import { readPlan } from '../terraform/plan.ts';
import { credentialsForImage } from '../builds/image-reach.ts';
import { runRulesOf } from './run-rules.ts';

/** How long after a failed attempt the next one starts, in milliseconds. */
const retryMilliseconds = 1000;

const attemptOf = ({ ForceUpdate = 0 }: { readonly ForceUpdate?: number }): number => ForceUpdate;

/**
 * Returns the state of a run's attempts. The engine stores a number for each attempt, and its instance has the same
 * number, so that no attempt is started twice. A run that the engine itself retries, because an earlier version of this
 * program created it, is under way until the engine ends it.
 */
function attemptsOf(
  task: Task,
  { Spec: { TaskTemplate: template } }: Pick<DockerService, 'Spec'>,
  tasks: readonly DockerTask[],
): Attempts {
  if (template.RestartPolicy?.Condition !== 'none') return 'under way';
  const attempt = attemptOf(template);
  const own = tasks.filter(({ Spec }) => attemptOf(Spec) === attempt);
  if (own.length === 0) return 'asked for';
  if (!own.every(hasAttemptFailed)) return 'under way';
  return attempt < runRulesOf(task).retries ? 'to be tried again' : 'used up';
}

/**
 * Starts the next attempt of a run a moment after the last one failed. The platform does this and not the engine,
 * because the engine would also start one while the last may still run on a node that is only unreachable.
 */
async function tryAgain(
  context: RegistryAccess & Pick<DockerContext, 'clock' | 'docker'>,
  { ID: id, Version, Spec }: DockerService,
  tasks: readonly DockerTask[],
  { confirm, signal }: RuntimeCall,
): Promise<void> {
  const last = Math.max(...tasks.map(({ Status }) => Date.parse(Status.Timestamp)));
  if (context.clock.now() - last < retryMilliseconds) return;
  const { TaskTemplate: template } = Spec;
  await confirm();
  const next = { ...Spec, TaskTemplate: { ...template, ForceUpdate: attemptOf(template) + 1 } };
  await updateDockerService(
    context.docker,
    id,
    Version.Index,
    next,
    credentialsForImage(context, template.ContainerSpec.Image),
    { signal },
  ).catch(
    // Another worker has started it, or the run was stopped.
    ignoring('stale', 'not found'),
  );
}

/** How long reading the end of a log may take, in milliseconds. */
const logEndMilliseconds = 60_000;

const idsOf = (tasks: readonly DockerTask[]): readonly string[] => tasks.map(({ ID }) => ID);

/**
 * Observes a run that the engine has: its attempts, and what they have logged since. Starts the next attempt after one
 * that failed. Once the run has ended, its log is read until it is complete, because the engine deletes it with the
 * run.
 */
export async function watchRun(
  context: NodeReach & RegistryAccess & Pick<DockerContext, 'clock' | 'leftLinks'>,
  task: Task,
  progress: RunProgress,
  present: DockerService,
  call: RuntimeCall,
): Promise<Observation> {
  const { signal } = call;
  const now = context.clock.now();
  const { since = now, unschedulableSince = now } = progress;
  const found = await listDockerTasks(context.docker, { service: [dockerServiceName(task.service)] }, { signal });
  const lost = await lostInstances(context, found, signal);
  const tasks = found.map((each) => (lost.has(each.ID) ? endedAsLost(each) : each));
  await context.leftLinks.removeFor(tasks, signal);
  // Read after the tasks: for those that have ended, these are the last lines.
  const logging = tasks.filter(({ ID }) => !progress.read.includes(ID) && !lost.has(ID));
  // A read that waits for a lost node never ends.
  const logged =
    logging.length === 0
      ? { lines: [], reported: progress.reported, isComplete: true }
      : await newLines(context, task, logging, progress.reported, signal);
  const attempts = await attemptLines(context, task, tasks, lost, progress.told, signal);
  const plan = task.isPlan ? readPlan(task, progress.plan, logged.lines) : undefined;
  const next = {
    since,
    ...(progress.variables !== undefined && { variables: progress.variables }),
    ...(plan && { plan }),
    ...(tasks.some(isUnschedulable) && { unschedulableSince }),
    told: attempts.told,
    reported: logged.reported,
    read: [...progress.read, ...(logged.isComplete ? idsOf(logging.filter(hasEnded)) : [])],
  };
  const stand = attemptsOf(task, present, tasks);
  const runsEnd =
    progress.end ?? (await runEnd(context, task, { tasks, attempts: stand, lost, told: attempts.told }, next, signal));
  const lines = [...logged.lines, ...attempts.lines];
  if (runsEnd === undefined) {
    if (stand === 'to be tried again') await tryAgain(context, present, tasks, call);
    return runGoesOn(context, task, next, { lines });
  }
  const end = { at: now, ...runsEnd };
  const isGivenUp = !logged.isComplete && now - end.at > logEndMilliseconds;
  const conditions = isGivenUp ? [condition('LOG_END_UNREADABLE', {})] : [];
  return runGoesOn(
    context,
    task,
    { ...next, end: { ...end, isTold: logged.isComplete || isGivenUp } },
    { lines, conditions },
  );
}
