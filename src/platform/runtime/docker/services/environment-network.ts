import type { DockerContext, OwnObjects } from '../docker-context.ts';
import {
  createDockerNetwork,
  deleteDockerNetwork,
  isDockerError,
  listDockerNetworks,
  listDockerServices,
} from '../api/index.ts';
import { environmentLabels, labelFilter } from '../labels.ts';
import { networkName } from '../names.ts';

/**
 * Whether a service could not be created because its network has just been deleted, together with the last service of
 * the environment.
 */
export const isNetworkGone = (error: unknown): boolean =>
  isDockerError(error) && /network \S+ not found/.test(error.reason);

/** Ensures that an environment has its network. Services of other environments can't reach it. */
export async function ensureNetwork(
  { docker, platformId }: OwnObjects,
  environmentId: string,
  signal: AbortSignal,
): Promise<void> {
  const labels = environmentLabels(platformId, environmentId);
  if ((await listDockerNetworks(docker, labelFilter(labels), { signal })).length > 0) return;
  try {
    await createDockerNetwork(
      docker,
      { Name: networkName(environmentId), Driver: 'overlay', Attachable: true, Labels: labels },
      { signal },
    );
  } catch (error) {
    // Another deployment of the environment has just created it.
    if (!isDockerError(error, 'conflict')) throw error;
  }
}

/**
 * Deletes the network of an environment that has no service left. A network that is still in use is kept, and deleted
 * with the last service.
 */
export async function deleteUnusedNetwork(
  { docker, platformId, proxy }: OwnObjects & Pick<DockerContext, 'proxy'>,
  environmentId: string,
  signal: AbortSignal,
): Promise<void> {
  const filters = labelFilter(environmentLabels(platformId, environmentId));
  if ((await listDockerServices(docker, filters, { signal })).length > 0) return;
  for (const { Id: id } of await listDockerNetworks(docker, filters, { signal })) {
    // At most one.
    await proxy.leave(id, signal);
    await deleteDockerNetwork(docker, id, { signal }).catch((error: unknown) => {
      // The engine reports one that is already being deleted as a failure.
      const isGoing = isDockerError(error, 'failed') && /not found/.test(error.reason);
      if (!isGoing && !isDockerError(error, 'not found', 'refused')) throw error;
    });
  }
}
