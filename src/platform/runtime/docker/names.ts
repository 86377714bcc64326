import { dnsLabel } from '../../common/index.ts';
import type { ServiceToRun } from '../index.ts';

type Named = Pick<ServiceToRun, 'id' | 'name'>;

/**
 * The name of a service on the engine. It contains only the id, so that names can't collide and renaming the service
 * changes nothing.
 */
export const dockerServiceName = ({ id }: Pick<ServiceToRun, 'id'>): string => `infra-${id}`;

/**
 * A part of the names of all containers of services. Build steps, whose labels a Dockerfile can set, run in containers
 * without it.
 */
export const containerNamePart = 'infra-';

/** Returns the id of the service with such a name; undefined for another name. */
export const serviceIdIn = (name: string): string | undefined => /^infra-([0-9a-f-]{36})$/.exec(name)?.[1];

/** The name of a platform's proxy, and of the volume with its certificates. */
export const proxyName = (platformId: string): string => `infra-proxy-${platformId}`;

/** The names of the services of a platform's own registry. The volume with the images has the first name. */
export const registryName = (platformId: string): string => `infra-registry-${platformId}`;
export const forwarderName = (platformId: string): string => `infra-forwarder-${platformId}`;
export const cleanerName = (platformId: string): string => `infra-cleaner-${platformId}`;

/** The name of the service of a platform's agents, and of their network. */
export const agentServiceName = (platformId: string): string => `infra-agent-${platformId}`;

/**
 * The name of a secret or config of the agents, of at most 64 characters.
 * @param part which one it is
 * @param version distinguishes different contents, in at most 12 characters
 */
export const agentFileName = (
  platformId: string,
  part: 'authority' | 'certificate' | 'program',
  version: string,
): string => `infra-agent-${platformId.slice(0, 18)}-${part}-${version}`;

/** The prefix of the names of containers that forward a connection. */
export const relayPrefix = 'infra-relay-';

/** The name of an environment's network. */
export const networkName = (environmentId: string): string => `infra-${environmentId}`;

/** Whether a name is that of an environment's network. */
export const isNetworkName = (name: string): boolean => /^infra-[0-9a-f-]{36}$/.test(name);

/**
 * The name of a secret or config of a deployment, of at most 64 characters.
 * @param part which one it is, in at most 20 characters
 */
export const fileName = ({ id }: Pick<ServiceToRun, 'id'>, deploymentId: string, part: string): string =>
  `infra-${id.slice(0, 18)}-${deploymentId.slice(0, 18)}-${part}`;

/**
 * The name of a service's images, without their tags. It contains the id of the platform, because the images of build
 * steps have no labels.
 * @param registry where they are pushed, if they are
 */
export const builtRepository = (platformId: string, { id }: Pick<ServiceToRun, 'id'>, registry?: string): string =>
  `${registry === undefined ? '' : `${registry}/`}infra-mcp-${platformId}/${id}`;

/** Whether an image with this name was built by a platform. @param name with its tag or digest */
export const isBuiltBy = (platformId: string, name: string): boolean =>
  name.split('/').includes(`infra-mcp-${platformId}`);

/** The name of a volume. @param storageId the id of the storage in the service's configuration */
export const volumeName = ({ id }: Pick<ServiceToRun, 'id'>, storageId: string): string =>
  `infra-${id.slice(0, 18)}-${storageId}`;

/**
 * The name of one instance, for readers of logs.
 * @param slot the number of the instance
 * @param taskId the id that the engine gave it
 */
export const podName = (service: Named, slot: number | undefined, taskId: string): string =>
  `${dnsLabel(service.name)}-${slot ?? 0}-${taskId.slice(0, 6)}`;
