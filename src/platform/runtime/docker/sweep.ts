import type { KnownResources, Sweep } from '../index.ts';
import type { DockerContext } from './docker-context.ts';
import { isDockerError } from './engine/index.ts';
import { labelFilter, platformLabels } from './labels.ts';
import { removeLinkRemovers } from './link-remover.ts';
import { isUnknownTo, listMadeObjects } from './made-objects.ts';

/**
 * Removes the secrets, configs and networks that this platform made for services and environments that no record knows, and
 * that nothing uses: a crash may leave some. Services and volumes are only told of: somebody may need them, because the records
 * can be those of an older backup.
 * @param known reads what is known; it is called after the engine was asked, so that nothing new looks unknown
 */
export async function sweep({ docker, platformId }: DockerContext, known: () => Promise<KnownResources>, signal: AbortSignal): Promise<Sweep> {
  await removeLinkRemovers({ docker, platformId }, signal);
  const made = await listMadeObjects(docker, labelFilter(platformLabels(platformId)), { signal });
  const records = await known();
  const removed: string[] = [];
  const left: string[] = [];
  for (const each of made.filter((one) => isUnknownTo(records, one))) {
    // oxlint-disable-next-line no-await-in-loop -- each needs that the ones before are gone.
    const isRemoved = await each.remove?.().then(() => true, (error: unknown) => {
      if (isDockerError(error, 'not found')) return true;
      if (isDockerError(error, 'refused', 'conflict', 'failed')) return false;
      throw error;
    });
    (isRemoved === true ? removed : left).push(each.what);
  }
  return { removed, left };
}
