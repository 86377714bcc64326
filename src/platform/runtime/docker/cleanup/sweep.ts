import type { KnownResources, Sweep } from '../../index.ts';
import { removeRelays } from '../agent/tunnel.ts';
import { boundImages } from './bounded-images.ts';
import type { DockerContext } from '../docker-context.ts';
import { isDockerError } from '../api/index.ts';
import { labelFilter, labelledRegistryPart, platformLabels } from '../labels.ts';
import { removeLinkRemovers } from './link-remover.ts';
import { isUnknownTo, listMadeObjects } from './made-objects.ts';

/**
 * Removes unused secrets, configs and networks that this platform created for services and environments that no record
 * knows: a crash may leave some. Services, volumes and containers are only reported: they may be needed, because the
 * records can be those of an older backup. Then it limits the size of the images on every node.
 * @param known reads the known resources; it is called after the engines are queried, so that nothing new looks unknown
 */
export async function sweep(
  context: DockerContext,
  known: () => Promise<KnownResources>,
  signal: AbortSignal,
): Promise<Sweep> {
  const { docker, platformId, registry } = context;
  await removeLinkRemovers({ docker, platformId }, signal);
  await removeRelays({ docker, platformId }, context.clock.now(), signal);
  const { objects, unasked } = await listMadeObjects(context, labelFilter(platformLabels(platformId)), signal);
  const records = await known();
  const removed: string[] = [];
  const left: string[] = [];
  for (const each of objects.filter((one) => isUnknownTo(records, one))) {
    // Sequential: an object may need the ones before it to be gone.
    const isRemoved = await each.remove?.().then(
      () => true,
      (error: unknown) => {
        if (isDockerError(error, 'not found')) return true;
        if (isDockerError(error, 'refused', 'conflict', 'failed')) return false;
        throw error;
      },
    );
    (isRemoved === true ? removed : left).push(each.what);
  }
  // Images of services may still be in it.
  if (registry === undefined)
    left.push(
      ...objects
        .filter(({ labels }) => labelledRegistryPart(labels) !== undefined)
        .map(({ what }) => `${what} of a registry that is no longer configured`),
    );
  const ofRegistry = await registry?.deleteUnknown(records.serviceIds, signal);
  return {
    removed: [
      ...removed,
      ...(ofRegistry?.had ?? []).map((id) => `images of the service ${id} in the registry of the cluster`),
    ],
    left,
    unasked: [
      ...unasked,
      ...(ofRegistry?.unasked === undefined ? [] : [{ name: 'the registry of the cluster', why: ofRegistry.unasked }]),
    ],
    images: await boundImages(context, records, signal),
  };
}
