import { credentialsForImage } from '../builds/image-reach.ts';
import type { DockerContext, RegistryAccess } from '../docker-context.ts';
import {
  ignoring,
  type DockerService,
  type DockerServiceSpec,
  type DockerTask,
  updateDockerService,
} from '../api/index.ts';
import { resumedAfter, withResumed } from '../labels.ts';

/** The states of instances that have not run yet. */
const beforeRunning: readonly DockerTask['Status']['State'][] = [
  'new',
  'pending',
  'assigned',
  'accepted',
  'preparing',
  'ready',
  'starting',
];

/**
 * The spec by which an update goes on that has stopped before its end; undefined while it hasn't. There are two cases:
 * - The engine has paused it because of an instance that it could not start itself, just after its own start.
 * - An instance was lost with its node before it ran. The engine waits for it until the node is back, without a limit.
 * @param lost the instances that were lost, by the ids of their tasks
 */
export function specToResume(
  { Spec, UpdateStatus }: DockerService,
  tasks: readonly DockerTask[],
  lost: ReadonlyMap<string, unknown>,
): DockerServiceSpec | undefined {
  if (UpdateStatus?.State === 'paused') return Spec;
  if (UpdateStatus?.State !== 'updating') return undefined;
  const [awaited] = tasks
    .filter(({ ID, Status }) => lost.has(ID) && beforeRunning.includes(Status.State))
    .toSorted((one, other) => other.CreatedAt.localeCompare(one.CreatedAt));
  // An update under way takes no notice of a spec that is the same. What differs in a label only replaces no instance.
  return awaited === undefined || resumedAfter(Spec.Labels) === awaited.ID
    ? undefined
    : { ...Spec, Labels: withResumed(Spec.Labels, awaited.ID) };
}

/** Sends a spec as a new update. Whoever changes the service at the same moment does so too. */
export async function resume(
  context: RegistryAccess & Pick<DockerContext, 'docker'>,
  { ID: id, Version }: DockerService,
  spec: DockerServiceSpec,
  signal: AbortSignal,
): Promise<void> {
  await updateDockerService(
    context.docker,
    id,
    Version.Index,
    spec,
    credentialsForImage(context, spec.TaskTemplate.ContainerSpec.Image),
    { signal },
  ).catch(ignoring('stale', 'not found'));
}
