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
 * Returns the spec that resumes a stalled update; undefined if the update isn't stalled. There are two cases:
 * - The engine has paused it because of an instance that it could not start, just after its own start.
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
  // An update under way ignores an identical spec. A difference in a label alone replaces no instance.
  return awaited === undefined || resumedAfter(Spec.Labels) === awaited.ID
    ? undefined
    : { ...Spec, Labels: withResumed(Spec.Labels, awaited.ID) };
}

/** Sends a spec as a new update. A concurrent change of the service has the same effect. */
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
