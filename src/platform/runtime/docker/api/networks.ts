import type { DockerCall, DockerClient } from './client.ts';
import { type DockerFilters, dockerPath } from './paths.ts';
import type { DockerLabels } from './service-spec.ts';

/** A network. */
export interface DockerNetwork {
  readonly Id: string;
  readonly Name: string;
  /** ISO 8601. */
  readonly Created: string;
  readonly Scope: 'local' | 'swarm' | 'global';
  /** Empty for a moment after the creation of an overlay. */
  readonly Driver: string;
  readonly Attachable: boolean;
  readonly Internal: boolean;
  readonly Labels?: DockerLabels;
  /** The options that its driver was given, or has set. */
  readonly Options?: Readonly<Record<string, string>> | null;
  readonly IPAM?: { readonly Config?: readonly { readonly Subnet: string; readonly Gateway?: string }[] | null };
  /** The containers of this engine on it, by id. Only in an inspected network. */
  readonly Containers?: Readonly<Record<string, { readonly Name: string; readonly IPv4Address: string }>>;
}

/** A network to create. */
export interface DockerNetworkSpec {
  readonly Name: string;
  readonly Driver: 'overlay' | 'bridge';
  /** Whether standalone containers can join an overlay. */
  readonly Attachable?: boolean;
  /** Whether it has no access to other networks. */
  readonly Internal?: boolean;
  readonly Labels?: DockerLabels;
  readonly Options?: Readonly<Record<string, string>>;
  readonly IPAM?: { readonly Config: readonly { readonly Subnet: string }[] };
}

/**
 * The networks that match; all without filters. Filters are `id`, `name` (a part of it), `label`, `driver`, `scope`,
 * `type`.
 */
export const listDockerNetworks = async (
  docker: DockerClient,
  filters: DockerFilters = {},
  call: DockerCall = {},
): Promise<readonly DockerNetwork[]> =>
  docker.request({ method: 'GET', path: '/networks', query: { filters }, ...call });

/** One network, by id or name. @throws DockerError `not found` */
export const inspectDockerNetwork = async (
  docker: DockerClient,
  network: string,
  call: DockerCall = {},
): Promise<DockerNetwork> => docker.request({ method: 'GET', path: dockerPath`/networks/${network}`, ...call });

/** Creates a network. @returns its id. @throws DockerError `conflict` if the name is taken */
export async function createDockerNetwork(
  docker: DockerClient,
  spec: DockerNetworkSpec,
  call: DockerCall = {},
): Promise<string> {
  // Names of local networks are unique only if the engine is told to check; newer engines always do.
  const { Id: id } = await docker.request<{ Id: string }>({
    method: 'POST',
    path: '/networks/create',
    json: { ...spec, CheckDuplicate: true },
    ...call,
  });
  return id;
}

/** Deletes a network. @throws DockerError `not found`, or `refused` while something is on it */
export async function deleteDockerNetwork(docker: DockerClient, network: string, call: DockerCall = {}): Promise<void> {
  await docker.request({ method: 'DELETE', path: dockerPath`/networks/${network}`, ...call });
}

/**
 * Connects a running container of this engine to a network.
 * @param aliases names by which others on the network resolve it
 */
export async function connectToDockerNetwork(
  docker: DockerClient,
  network: string,
  container: string,
  aliases: readonly string[] = [],
  call: DockerCall = {},
): Promise<void> {
  await docker.request({
    method: 'POST',
    path: dockerPath`/networks/${network}/connect`,
    json: { Container: container, EndpointConfig: { Aliases: aliases } },
    ...call,
  });
}

/** Disconnects a container from a network. */
export async function disconnectFromDockerNetwork(
  docker: DockerClient,
  network: string,
  container: string,
  call: DockerCall = {},
): Promise<void> {
  await docker.request({
    method: 'POST',
    path: dockerPath`/networks/${network}/disconnect`,
    json: { Container: container, Force: true },
    ...call,
  });
}
