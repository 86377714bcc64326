import type { Condition } from '../../../../contract/index.ts';
import { type Observation, type RuntimeCall, type Task, toldLine } from '../../index.ts';
import { removeBuildContainers } from '../builds/build-containers.ts';
import { deleteBuiltImages } from '../builds/built-images.ts';
import type { DockerContext, OwnObjects } from '../docker-context.ts';
import {
  deleteDockerService,
  deleteDockerVolume,
  type DockerClient,
  ignoring,
  isDockerError,
  listDockerContainers,
  listDockerVolumes,
  removeEndedDockerContainer,
} from '../api/index.ts';
import { deleteUnusedNetwork } from './environment-network.ts';
import { type BoundVolumes, boundVolumes, leftVolumes } from '../cleanup/left-volumes.ts';
import { onEveryNode, type UnaskedNode } from '../nodes/every-node.ts';
import { hiddenInstances } from '../nodes/hidden-instances.ts';
import { isStopped, labelFilter, serviceLabels } from '../labels.ts';
import { deleteUnusedFiles } from './mounted-files.ts';
import { answeringEngines } from '../nodes/node-engines.ts';
import { stoppedSpec } from './service-spec.ts';
import { runningContainers } from './running-containers.ts';
import { applySpec, findDockerService, requireLatestTask } from './services-of-ours.ts';
import { nothing, type TaskHandler } from '../task-handler.ts';
import { versionShown } from '../version.ts';

const pollMilliseconds = 300;

/**
 * Stops the instances of a service. Its volumes and its configuration stay. A service that doesn't exist counts as
 * stopped.
 */
export async function beginStop(context: OwnObjects, task: Task, { signal }: RuntimeCall): Promise<void> {
  await applySpec(
    context,
    task,
    (present) => (present === undefined || isStopped(present.Spec.Labels) ? undefined : stoppedSpec(present.Spec)),
    { signal },
  );
}

/** Deletes a service. Its objects are deleted when its containers have ended. */
export async function beginRemove(context: OwnObjects, task: Task, { signal }: RuntimeCall): Promise<void> {
  const present = await findDockerService(context, task.service, signal);
  if (present === undefined) return;
  requireLatestTask(present, task.fencingToken);
  await deleteDockerService(context.docker, present.ID, { signal }).catch(ignoring('not found'));
}

/** Deletes the volumes of a service on one engine. @returns whether all were deleted */
async function deleteVolumes(
  { platformId }: Pick<DockerContext, 'platformId'>,
  docker: DockerClient,
  service: Task['service'],
  signal: AbortSignal,
): Promise<boolean> {
  const volumes = await listDockerVolumes(docker, labelFilter(serviceLabels(platformId, service)), { signal });
  const deleted = await Promise.all(
    volumes.map(({ Name: name }) =>
      deleteDockerVolume(docker, name, { signal }).then(
        () => true,
        (error: unknown) => {
          if (isDockerError(error, 'not found')) return true;
          // A container that has just ended still uses it for a moment.
          if (isDockerError(error, 'conflict')) return false;
          throw error;
        },
      ),
    ),
  );
  return deleted.every(Boolean);
}

/** State that is kept while a service is taken down. */
interface TakeDownCursor {
  /** The location of its volumes, which can't be determined once the service is deleted. */
  readonly bound?: BoundVolumes;
  /** It was reported that the take-down waits for instances on other nodes to end. */
  readonly isWaitTold?: true;
}

const readCursor = (text: string | null): TakeDownCursor =>
  text?.startsWith('{') ? (JSON.parse(text) as TakeDownCursor) : {};

/**
 * Deletes the objects of a deleted service: secrets, configs, volumes on every node, built images, and the network if
 * it was the last service of its environment.
 * @returns whether all were deleted, and the nodes that could not be queried
 */
async function deleteBelongings(
  context: DockerContext,
  { service }: Task,
  signal: AbortSignal,
): Promise<{ readonly isDone: boolean; readonly unasked: readonly UnaskedNode[] }> {
  await deleteUnusedFiles(context, service, undefined, signal);
  await deleteUnusedNetwork(context, service.environmentId, signal);
  const { seen, unasked } = await onEveryNode(
    context,
    (engine) => deleteVolumes(context, engine, service, signal),
    signal,
  );
  // A container that has just ended uses an image too. Only engines that the platform has addresses for build images.
  const built = await Promise.all(
    (await answeringEngines(context.docker, signal)).map(async (docker) => {
      await removeBuildContainers({ ...context, docker }, service, signal);
      return deleteBuiltImages({ ...context, docker }, service, signal);
    }),
  );
  return { isDone: built.every(Boolean) && seen.every(({ result }) => result), unasked };
}

/**
 * Removes the containers of a deleted service that don't run. An engine that is killed forgets the containers that
 * ended just before: they would keep volumes and images in use forever.
 */
async function removeEndedContainers(
  docker: DockerClient,
  { platformId }: Pick<DockerContext, 'platformId'>,
  { service }: Task,
  signal: AbortSignal,
): Promise<void> {
  const ended = await listDockerContainers(
    docker,
    { ...labelFilter(serviceLabels(platformId, service)), status: ['created', 'exited', 'dead'] },
    { signal },
  );
  await Promise.all(
    ended.map(({ Id: id }) =>
      removeEndedDockerContainer(docker, id, { signal }).catch((error: unknown) => {
        // The engine removes it itself, or has just started it.
        if (!isDockerError(error, 'not found') && !isDockerError(error, 'conflict')) throw error;
      }),
    ),
  );
}

/**
 * Reports whether a service is down. Instances on nodes that are down are not waited for, but reported: whether they
 * run is unknown.
 */
export async function observeTakeDown(
  context: DockerContext,
  task: Task,
  cursor: string | null,
  { signal }: RuntimeCall,
): Promise<Observation> {
  const now = context.clock.now();
  const line = (told: Condition | string) => toldLine(told, { at: now, pod: 'engine', version: versionShown(task) });
  const removes = task.phase.operation === 'remove';
  const known = readCursor(cursor);
  const bound = cursor === null && removes ? await boundVolumes(context, task, signal) : known.bound;
  const begun =
    cursor === null ? [line(removes ? `Removing ${task.service.name}` : `Stopping ${task.service.name}`)] : [];
  // First, requests to the service stop. If the proxy can't be updated now, the next reconciliation updates it.
  if (cursor === null)
    await context.proxy.sync(signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
    });
  const labels = serviceLabels(context.platformId, task.service);
  const nodes = await onEveryNode(
    context,
    async (engine) => {
      // The engine first removes the containers that it knows of.
      if (removes && cursor !== null) await removeEndedContainers(engine, context, task, signal);
      // A stop during a rollout leaves a container that never starts, for as long as the service exists.
      return runningContainers(context, engine, labels, removes, signal);
    },
    signal,
  );
  const { awaited, lost } = await hiddenInstances(context, task.service, labels, nodes, signal);
  const isWaitTold = known.isWaitTold ?? awaited.length > 0;
  const next = JSON.stringify({ ...(bound && { bound }), ...(isWaitTold && { isWaitTold }) } satisfies TakeDownCursor);
  const waits =
    awaited.length > 0 && !known.isWaitTold
      ? [line(`Waiting until these instances on other nodes have ended: ${awaited.join(', ')}`)]
      : [];
  // Ended containers are removed from the second observation on, even if nothing else is left.
  const ongoing: Observation = {
    outcome: 'ongoing',
    lines: [...begun, ...waits],
    cursor: next,
    nextPollAt: now + pollMilliseconds,
  };
  if (awaited.length > 0 || nodes.seen.some(({ result }) => result > 0) || (removes && cursor === null)) return ongoing;
  if (!removes) {
    const ended = lost.length === 0 ? 'No instance runs any more' : 'No instance runs any more on a node that answers';
    return {
      outcome: 'succeeded',
      lines: [...begun, ...[`${ended}; volumes and configuration are kept`, ...lost].map(line)],
      cursor: next,
    };
  }
  const { isDone, unasked } = await deleteBelongings(context, task, signal);
  if (!isDone) return ongoing;
  const volumes = leftVolumes(task.service, bound, unasked);
  const left = [...lost.map(({ message }) => message), ...volumes];
  const lines = [
    volumes.length === 0 ? 'Removed, with its secrets and volumes' : 'Removed, with its secrets',
    ...lost,
    ...volumes,
  ].map(line);
  return { outcome: 'succeeded', lines: [...begun, ...lines], cursor: next, ...(left.length > 0 && { left }) };
}

/** Removes a service with all of its objects. */
export const serviceRemoval: TaskHandler = { begin: beginRemove, observe: observeTakeDown, abandon: nothing };
