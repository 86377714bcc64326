import { condition } from '../../../../contract/index.ts';
import { ConditionError, type Say } from '../../index.ts';
import type { DockerContext, RegistryAccess } from '../docker-context.ts';
import { hostOfImage, dockerInfo, type DockerRegistryCredentials, listDockerNodes } from '../api/index.ts';

/** Whether only the node that built an image has it: the image is named by its id, and is in no registry. */
export const isOnlyBuilt = (image: string): boolean => image.startsWith('sha256:');

/**
 * The credentials that nodes pull an image with. The platform has built or resolved it.
 * @param image with its registry
 */
export function credentialsForImage(
  { registry, credentialsFor }: RegistryAccess,
  image: string,
): DockerRegistryCredentials | undefined {
  const host = hostOfImage(image);
  return host === registry?.host ? registry.credentials : credentialsFor(host);
}

/**
 * Requires that every node that takes instances can get the images that the engine builds. Waits for the cluster's own
 * registry. Nodes that are down count, because they can come back.
 * @throws Error that says why they can't
 */
export async function requireReach(
  { docker, builds: { registry: host }, registry }: Pick<DockerContext, 'docker' | 'builds' | 'registry'>,
  say: Say,
  signal: AbortSignal,
): Promise<void> {
  await registry?.untilReady(docker, say, signal);
  if (host !== undefined) return;
  const [
    nodes,
    {
      Swarm: { NodeID: own },
    },
  ] = await Promise.all([listDockerNodes(docker, {}, { signal }), dockerInfo(docker, { signal })]);
  const others = nodes
    .filter(({ ID, Spec }) => ID !== own && Spec.Availability === 'active')
    .map(({ Description }) => Description.Hostname)
    .toSorted();
  if (others.length === 0) return;
  throw new ConditionError(condition('IMAGE_ON_ONE_NODE', { nodes: others }));
}
