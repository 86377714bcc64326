import type { RuntimeCall, Task } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import { type DockerService, type DockerTask, ignoring, updateDockerService } from '../engine/index.ts';
import { credentialsForImage } from '../builds/image-reach.ts';
import { type Attempts, hasAttemptFailed } from './job-attempts.ts';
import { runRulesOf } from './run-rules.ts';

/** How long after a failed attempt the next one begins, in milliseconds. */
const retryMilliseconds = 1000;

const attemptOf = ({ ForceUpdate = 0 }: { readonly ForceUpdate?: number }): number => ForceUpdate;

/**
 * How a run stands. Each attempt has a number on the engine, which its instance has too, so that no attempt is begun twice. A run that the engine itself tries
 * again, because an earlier version of this program made it, is under way until the engine ends it.
 */
export function attemptsOf(task: Task, { Spec: { TaskTemplate: template } }: Pick<DockerService, 'Spec'>, tasks: readonly DockerTask[]): Attempts {
  if (template.RestartPolicy?.Condition !== 'none') return 'under way';
  const attempt = attemptOf(template);
  const own = tasks.filter(({ Spec }) => attemptOf(Spec) === attempt);
  if (own.length === 0) return 'asked for';
  if (!own.every(hasAttemptFailed)) return 'under way';
  return attempt < runRulesOf(task).retries ? 'to be tried again' : 'used up';
}

/**
 * Begins the next attempt of a run whose last one failed, a moment after that. It is the platform that does, because the engine would also begin one while
 * the last one may still run: on a node that it only doesn't reach.
 */
export async function tryAgain(context: DockerContext, { ID: id, Version, Spec }: DockerService, tasks: readonly DockerTask[], { confirm, signal }: RuntimeCall): Promise<void> {
  const last = Math.max(...tasks.map(({ Status }) => Date.parse(Status.Timestamp)));
  if (context.clock.now() - last < retryMilliseconds) return;
  const { TaskTemplate: template } = Spec;
  await confirm();
  const next = { ...Spec, TaskTemplate: { ...template, ForceUpdate: attemptOf(template) + 1 } };
  await updateDockerService(context.docker, id, Version.Index, next, credentialsForImage(context, template.ContainerSpec.Image), { signal }).catch(
    // Another worker has begun it, or the run was ended.
    ignoring('stale', 'not found'),
  );
}
