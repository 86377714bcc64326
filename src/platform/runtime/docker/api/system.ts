import type { DockerCall, DockerClient } from './client.ts';
import { type DockerFilters, dockerPath } from './paths.ts';
import type { DockerLabels, DockerObject } from './service-spec.ts';

/** An engine's description of itself. */
export interface DockerInfo {
  readonly ID: string;
  readonly Name: string;
  readonly ServerVersion: string;
  readonly NCPU: number;
  /** Memory of the host, in bytes. */
  readonly MemTotal: number;
  /** Folder of the engine's data on its host. */
  readonly DockerRootDir: string;
  readonly OperatingSystem: string;
  /** CPU architecture, such as x86_64. */
  readonly Architecture: string;
  /** The time on its clock, ISO 8601. */
  readonly SystemTime: string;
  readonly CgroupVersion?: string;
  readonly Driver: string;
  /** Warnings about the engine's configuration and host. */
  readonly Warnings?: readonly string[] | null;
  readonly RegistryConfig?: { readonly InsecureRegistryCIDRs?: readonly string[] | null };
  readonly Swarm: {
    readonly LocalNodeState: 'inactive' | 'pending' | 'active' | 'error' | 'locked';
    readonly NodeID: string;
    readonly NodeAddr: string;
    /** Whether the engine is a manager. */
    readonly ControlAvailable: boolean;
    /** Why the engine is in the state `error`, or what is wrong with its swarm. */
    readonly Error?: string;
    /** The swarm; only for a manager that has a leader. */
    readonly Cluster?: { readonly ID?: string } | null;
    readonly Nodes?: number;
    readonly Managers?: number;
  };
}

/** The swarm, as a manager knows it. */
export interface DockerSwarm extends DockerObject {
  readonly Spec: {
    readonly Dispatcher?: { readonly HeartbeatPeriod?: number };
    readonly Orchestration?: { readonly TaskHistoryRetentionLimit?: number };
  };
  readonly DefaultAddrPool?: readonly string[];
  readonly SubnetSize?: number;
}

/** A node of the swarm. */
export interface DockerNode extends DockerObject {
  readonly Spec: {
    readonly Role: 'manager' | 'worker';
    readonly Availability: 'active' | 'pause' | 'drain';
    readonly Labels?: DockerLabels;
  };
  readonly Description: {
    readonly Hostname: string;
    readonly Platform: { readonly Architecture: string; readonly OS: string };
    readonly Resources: { readonly NanoCPUs: number; readonly MemoryBytes: number };
  };
  readonly Status: {
    readonly State: 'unknown' | 'down' | 'ready' | 'disconnected';
    readonly Message?: string;
    readonly Addr?: string;
  };
  /** Absent for workers. The address has a port. */
  readonly ManagerStatus?: { readonly Addr?: string; readonly Leader?: boolean; readonly Reachability?: string };
}

/** The disk space that an engine uses, in bytes. */
export interface DockerDiskUsage {
  readonly images: number;
  readonly containers: number;
  readonly volumes: number;
  readonly buildCache: number;
}

/** The engine and its host. */
export const dockerInfo = async (docker: DockerClient, call: DockerCall = {}): Promise<DockerInfo> =>
  docker.request({ method: 'GET', path: '/info', ...call });

/**
 * The swarm, without its join tokens: with one, anyone can add a node, and so read every secret.
 * @throws DockerError `no manager`
 */
export async function inspectDockerSwarm(docker: DockerClient, call: DockerCall = {}): Promise<DockerSwarm> {
  const { JoinTokens: _tokens, ...swarm } = await docker.request<DockerSwarm & { readonly JoinTokens?: unknown }>({
    method: 'GET',
    path: '/swarm',
    ...call,
  });
  return swarm;
}

/**
 * Replaces the settings of the swarm.
 * @param version the one that the new settings are based on, from `Version.Index`
 * @throws DockerError `stale` if it has another one by now
 */
export async function updateDockerSwarm(
  docker: DockerClient,
  version: number,
  spec: DockerSwarm['Spec'],
  call: DockerCall = {},
): Promise<void> {
  await docker.request({ method: 'POST', path: '/swarm/update', query: { version }, json: spec, ...call });
}

/**
 * Replaces the settings of a node.
 * @param version from `Version.Index`
 * @throws DockerError `stale` if it has another one by now
 */
export async function updateDockerNode(
  docker: DockerClient,
  { ID: id, Version }: Pick<DockerNode, 'ID' | 'Version'>,
  spec: DockerNode['Spec'],
  call: DockerCall = {},
): Promise<void> {
  await docker.request({
    method: 'POST',
    path: dockerPath`/nodes/${id}/update`,
    query: { version: Version.Index },
    json: spec,
    ...call,
  });
}

/** The nodes that match; all without filters. @throws DockerError `no manager` */
export const listDockerNodes = async (
  docker: DockerClient,
  filters: DockerFilters = {},
  call: DockerCall = {},
): Promise<readonly DockerNode[]> => docker.request({ method: 'GET', path: '/nodes', query: { filters }, ...call });

/** One node, by id or name. @throws DockerError `no manager`, `not found` */
export const inspectDockerNode = async (
  docker: DockerClient,
  node: string,
  call: DockerCall = {},
): Promise<DockerNode> => docker.request({ method: 'GET', path: dockerPath`/nodes/${node}`, ...call });

/** The address by which other nodes know a node; undefined if none is set. */
export const addressOfNode = ({ Status, ManagerStatus }: DockerNode): string | undefined =>
  // A manager reports 0.0.0.0 for itself if no address was set.
  [Status.Addr, ManagerStatus?.Addr?.replace(/:\d+$/, '')].find(
    (each) => each !== undefined && each !== '' && each !== '0.0.0.0',
  );

interface RawUsage {
  readonly LayersSize?: number;
  readonly Containers?: readonly { readonly SizeRw?: number }[] | null;
  readonly Volumes?: readonly { readonly UsageData?: { readonly Size: number } | null }[] | null;
  readonly BuildCache?: readonly { readonly Size?: number }[] | null;
}

const sum = (sizes: readonly (number | undefined)[] = []): number =>
  sizes.reduce<number>((total, size) => total + Math.max(0, size ?? 0), 0);

/** The disk space that the engine uses. The engine sums up every volume, which can take minutes. */
export async function dockerDiskUsage(docker: DockerClient, call: DockerCall = {}): Promise<DockerDiskUsage> {
  const usage = await docker.request<RawUsage>({
    method: 'GET',
    path: '/system/df',
    timeoutMilliseconds: 10 * 60_000,
    ...call,
  });
  return {
    images: usage.LayersSize ?? 0,
    containers: sum(usage.Containers?.map(({ SizeRw: size }) => size)),
    volumes: sum(usage.Volumes?.map((volume) => volume.UsageData?.Size)),
    buildCache: sum(usage.BuildCache?.map(({ Size: size }) => size)),
  };
}
