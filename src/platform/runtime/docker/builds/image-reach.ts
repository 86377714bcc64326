import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { condition } from '../../../../contract/index.ts';
import { isPublicAddress } from '../../../common/index.ts';
import { ConditionError, type RegistryInput, type Say } from '../../index.ts';
import type { DockerContext, RegistryAccess } from '../docker-context.ts';
import { hostOfImage, dockerInfo, type DockerRegistryCredentials, listDockerNodes } from '../api/index.ts';

/** The registry of image names without a host. */
export const publicRegistry = 'docker.io';

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

/** The host of a registry, with its port, as it is in the names of its images. */
export const hostOfRegistry = ({ kind, url }: Pick<RegistryInput, 'kind' | 'url'>): string =>
  kind === 'DOCKER_HUB' ? publicRegistry : (URL.parse(url)?.host ?? url);

/**
 * The credentials for an image of a service: those stored with its registry, else the operator's.
 * @param registry the service's
 */
export function credentialsForServiceImage(
  access: RegistryAccess,
  image: string,
  registry: RegistryInput | undefined,
): DockerRegistryCredentials | undefined {
  const host = hostOfImage(image);
  const isOwn = host === access.registry?.host;
  return !isOwn && registry?.credentials && hostOfRegistry(registry) === host
    ? { ...registry.credentials, serveraddress: host }
    : credentialsForImage(access, image);
}

/**
 * Requires that a registry that members of the organization linked is not on a private address, unless the operator
 * named it.
 * @throws Error that says how it may be used
 */
export async function requireAllowedRegistry(
  { isKnownRegistry }: Pick<DockerContext, 'isKnownRegistry'>,
  host: string,
): Promise<void> {
  if (host === publicRegistry || isKnownRegistry(host)) return;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/^\[|\]$/g, '') ?? host;
  // A name that is not known here may be known to the engine, which says what is wrong otherwise.
  const addresses = isIP(name) === 0 ? await lookup(name, { all: true }).catch(() => []) : [{ address: name }];
  const refused = addresses.find(({ address }) => !isPublicAddress(address));
  if (refused !== undefined)
    throw new Error(
      `The registry ${host} has a private or reserved address (${refused.address}). Only registries in the clusters file may have one: whoever runs the platform can add it there.`,
    );
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
