import type { Observation, RuntimeCall, Task } from '../index.ts';
import { removeBuildContainers } from './build-containers.ts';
import { deleteBuiltImages } from './built-images.ts';
import type { DockerContext } from './docker-context.ts';
import { deleteDockerService, deleteDockerVolume, isDockerError, listDockerContainers, listDockerVolumes, removeDockerContainer, type DockerLabels } from './engine/index.ts';
import { deleteUnusedNetwork } from './environment-network.ts';
import { isStopped, labelFilter, serviceLabels } from './labels.ts';
import { deleteUnusedFiles } from './mounted-files.ts';
import { stoppedSpec } from './service-spec.ts';
import { applySpec, findDockerService, requireFence } from './services-of-ours.ts';
import { versionShown } from './version.ts';

const pollMilliseconds = 300;

/** Takes the instances of a service down. Its volumes and its configuration stay. A service that isn't there is down. */
export async function beginStop(context: DockerContext, task: Task, { signal }: RuntimeCall): Promise<void> {
  await applySpec(context, task, (present) => (present === undefined || isStopped(present.Spec.Labels) ? undefined : stoppedSpec(present.Spec)), { signal });
}

/** Deletes a service. What belongs to it goes when its containers have ended. */
export async function beginRemove(context: DockerContext, task: Task, { signal }: RuntimeCall): Promise<void> {
  const present = await findDockerService(context, task.service, signal);
  if (present === undefined) return;
  requireFence(present, task.fencingToken);
  await deleteDockerService(context.docker, present.ID, { signal }).catch((error: unknown) => {
    if (!isDockerError(error, 'not found')) throw error;
  });
}

/** The states of containers that have begun and not ended. */
const alive = ['restarting', 'running', 'removing', 'paused'];

/** How many containers with these labels have not ended on this engine. */
export const runningContainers = async ({ docker }: DockerContext, labels: DockerLabels, signal: AbortSignal, status: readonly string[] = ['created', ...alive]): Promise<number> =>
  (await listDockerContainers(docker, { ...labelFilter(labels), status: [...status] }, { signal })).length;

/** Deletes what a deleted service had: secrets, configs, volumes, built images, and the network if it was the last of its environment. */
async function deleteBelongings(context: DockerContext, { service }: Task, signal: AbortSignal): Promise<boolean> {
  const { docker, platformId } = context;
  await deleteUnusedFiles(context, service, undefined, signal);
  await deleteUnusedNetwork(context, service.environmentId, signal);
  const volumes = await listDockerVolumes(docker, labelFilter(serviceLabels(platformId, service)), { signal });
  const deleted = await Promise.all(volumes.map(({ Name: name }) => deleteDockerVolume(docker, name, { signal }).then(() => true, (error: unknown) => {
    if (isDockerError(error, 'not found')) return true;
    // A container that has just ended holds it for a moment.
    if (isDockerError(error, 'conflict')) return false;
    throw error;
  })));
  await removeBuildContainers(context, service, signal);
  // So does it an image.
  return (await deleteBuiltImages(context, service, signal)) && deleted.every(Boolean);
}

/** Removes the containers of a deleted service that don't run. Those that ended just before the engine was killed are forgotten by it: they would hold volumes and images for ever. */
async function removeEndedContainers({ docker, platformId }: DockerContext, { service }: Task, signal: AbortSignal): Promise<void> {
  const ended = await listDockerContainers(docker, { ...labelFilter(serviceLabels(platformId, service)), status: ['created', 'exited', 'dead'] }, { signal });
  await Promise.all(ended.map(({ Id: id }) => removeDockerContainer(docker, id, { signal }).catch((error: unknown) => {
    // The engine removes it itself, or has just started it.
    if (!isDockerError(error, 'not found') && !isDockerError(error, 'conflict')) throw error;
  })));
}

/** Reports whether a service is down. */
export async function observeTakeDown(context: DockerContext, task: Task, cursor: string | null, { signal }: RuntimeCall): Promise<Observation> {
  const now = context.clock.now();
  const line = (message: string) => ({ at: now, message, pod: 'engine', version: versionShown(task) });
  const removes = task.phase.operation === 'remove';
  const begun = cursor === null ? [line(removes ? `Removing ${task.service.name}` : `Stopping ${task.service.name}`)] : [];
  // First of all nothing is sent there any more. If the proxy can't be told now, it is when it is looked after the next time.
  if (cursor === null) await context.proxy.sync(signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
  });
  // The engine removes them first, if it knows of them.
  if (removes && cursor !== null) await removeEndedContainers(context, task, signal);
  // A rollout that was overtaken by a stop leaves a container that never starts, for as long as there is the service.
  const left = await runningContainers(context, serviceLabels(context.platformId, task.service), signal, removes ? undefined : alive);
  // What has ended is removed from the second time on, also where nothing else is left.
  if (left > 0 || (removes && (cursor === null || !(await deleteBelongings(context, task, signal))))) return { outcome: 'ongoing', lines: begun, cursor: 'begun', nextPollAt: now + pollMilliseconds };
  return { outcome: 'succeeded', lines: [...begun, line(removes ? 'Removed, with its secrets and volumes' : 'No instance runs any more; volumes and configuration are kept')], cursor: 'begun' };
}
