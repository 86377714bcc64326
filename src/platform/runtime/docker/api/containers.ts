import type { Duplex, Readable } from 'node:stream';
import type { DockerCall, DockerClient } from './client.ts';
import { type DockerFilters, dockerPath } from './paths.ts';
import type { DockerHealthcheck, DockerLabels, DockerMount } from './service-spec.ts';

/** A container to create. */
export interface DockerContainerCreation {
  readonly Image: string;
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly Env?: readonly string[];
  readonly User?: string;
  readonly WorkingDir?: string;
  readonly Labels?: DockerLabels;
  readonly ExposedPorts?: Readonly<Record<string, {}>>;
  readonly StopSignal?: string;
  readonly Healthcheck?: DockerHealthcheck;
  /** Whether standard input stays open; and whether it closes when the first attached client disconnects. */
  readonly OpenStdin?: boolean;
  readonly StdinOnce?: boolean;
  readonly HostConfig?: {
    readonly NetworkMode?: string;
    /** `host`: the users of the host, even if the engine uses user namespaces for containers. */
    readonly UsernsMode?: string;
    readonly PortBindings?: Readonly<
      Record<string, readonly { readonly HostIp?: string; readonly HostPort: string }[]>
    >;
    readonly RestartPolicy?: { readonly Name: 'no' | 'always' | 'on-failure' | 'unless-stopped' };
    readonly Mounts?: readonly DockerMount[];
    /** In bytes. */
    readonly Memory?: number;
    readonly NanoCpus?: number;
    readonly PidsLimit?: number;
    readonly Init?: boolean;
    readonly AutoRemove?: boolean;
    readonly CapDrop?: readonly string[];
    readonly CapAdd?: readonly string[];
    readonly SecurityOpt?: readonly string[];
    readonly Sysctls?: Readonly<Record<string, string>>;
    readonly LogConfig?: { readonly Type: string; readonly Config: Readonly<Record<string, string>> };
  };
  readonly NetworkingConfig?: {
    readonly EndpointsConfig: Readonly<Record<string, { readonly Aliases?: readonly string[] }>>;
  };
}

/** A container of this engine. */
export interface DockerContainer {
  readonly Id: string;
  /** With a leading slash. */
  readonly Name: string;
  readonly Image: string;
  readonly Created: string;
  readonly RestartCount: number;
  readonly State: {
    readonly Status: 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead';
    readonly Running: boolean;
    readonly OOMKilled: boolean;
    readonly ExitCode: number;
    /** Why it could not be started. */
    readonly Error: string;
    /** ISO 8601; the year 1 if it never happened. */
    readonly StartedAt: string;
    readonly FinishedAt: string;
    readonly Health?: {
      readonly Status: 'none' | 'starting' | 'healthy' | 'unhealthy';
      readonly FailingStreak: number;
      /** The last probes, oldest first. */
      readonly Log:
        | readonly {
            readonly Start: string;
            readonly End: string;
            readonly ExitCode: number;
            readonly Output: string;
          }[]
        | null;
    };
  };
  /** Entries of the hosts file, as name:address. */
  readonly HostConfig: { readonly ExtraHosts: readonly string[] | null };
  readonly Config: { readonly Image: string; readonly Labels: DockerLabels | null };
  readonly NetworkSettings: {
    readonly Networks: Readonly<Record<string, { readonly NetworkID: string; readonly IPAddress: string }>>;
    readonly Ports?: Readonly<Record<string, readonly { readonly HostIp: string; readonly HostPort: string }[] | null>>;
  };
}

/** A container in a list. */
export interface DockerContainerSummary {
  readonly Id: string;
  readonly Names: readonly string[];
  readonly Image: string;
  readonly ImageID: string;
  /** Seconds since 1970. */
  readonly Created: number;
  readonly State: DockerContainer['State']['Status'];
  readonly Status: string;
  readonly Labels: DockerLabels;
  /** Ports published on the host, and others without `PublicPort`. */
  readonly Ports: readonly { readonly PrivatePort: number; readonly PublicPort?: number; readonly IP?: string }[];
}

/**
 * The containers of this engine that match, stopped ones included. Filters are `id`, `name`, `label`, `status`,
 * `network`.
 */
export const listDockerContainers = async (
  docker: DockerClient,
  filters: DockerFilters = {},
  call: DockerCall = {},
): Promise<readonly DockerContainerSummary[]> =>
  docker.request({ method: 'GET', path: '/containers/json', query: { all: true, filters }, ...call });

/** One container of this engine, by id or name. @throws DockerError `not found` */
export const inspectDockerContainer = async (
  docker: DockerClient,
  container: string,
  call: DockerCall = {},
): Promise<DockerContainer> =>
  docker.request({ method: 'GET', path: dockerPath`/containers/${container}/json`, ...call });

/**
 * Creates a container without starting it.
 * @returns its id.
 * @throws DockerError `not found` without its image, `conflict` if the name is taken
 */
export async function createDockerContainer(
  docker: DockerClient,
  name: string,
  creation: DockerContainerCreation,
  call: DockerCall = {},
): Promise<string> {
  const { Id: id } = await docker.request<{ Id: string }>({
    method: 'POST',
    path: '/containers/create',
    query: { name },
    json: creation,
    ...call,
  });
  return id;
}

/**
 * Starts a container. One that already runs is left as it is.
 * @throws DockerError if it can't be started, for example because its program is missing
 */
export async function startDockerContainer(
  docker: DockerClient,
  container: string,
  call: DockerCall = {},
): Promise<void> {
  await docker.request({ method: 'POST', path: dockerPath`/containers/${container}/start`, ...call });
}

/**
 * Stops a container, and kills it after the grace period. One that doesn't run is left as it is.
 * @param graceSeconds how long it may take before it is killed
 */
export async function stopDockerContainer(
  docker: DockerClient,
  container: string,
  graceSeconds: number,
  call: DockerCall = {},
): Promise<void> {
  // The engine answers once it has stopped.
  await docker.request({
    method: 'POST',
    path: dockerPath`/containers/${container}/stop`,
    query: { t: graceSeconds },
    timeoutMilliseconds: (graceSeconds + 30) * 1000,
    ...call,
  });
}

/**
 * Removes a container that has exited or never started, with its anonymous volumes.
 * @throws DockerError `not found`, or `conflict` if it runs
 */
export async function removeEndedDockerContainer(
  docker: DockerClient,
  container: string,
  call: DockerCall = {},
): Promise<void> {
  await docker.request({ method: 'DELETE', path: dockerPath`/containers/${container}`, query: { v: true }, ...call });
}

/** Removes a container, even a running one, with its anonymous volumes. @throws DockerError `not found` */
export async function removeDockerContainer(
  docker: DockerClient,
  container: string,
  call: DockerCall = {},
): Promise<void> {
  await docker.request({
    method: 'DELETE',
    path: dockerPath`/containers/${container}`,
    query: { force: true, v: true },
    ...call,
  });
}

/** Attaches to the standard input of a container and to its output, in frames. The container need not run yet. */
export const attachToDockerContainer = (
  docker: DockerClient,
  container: string,
  call: DockerCall = {},
): Promise<Duplex> =>
  docker.upgrade({
    method: 'POST',
    path: dockerPath`/containers/${container}/attach`,
    query: { stream: true, stdin: true, stdout: true, stderr: true },
    ...call,
  });

/** Waits until a container has exited. @returns its exit code */
export async function waitForDockerContainer(
  docker: DockerClient,
  container: string,
  call: DockerCall = {},
): Promise<number> {
  const { StatusCode: code } = await docker.request<{ StatusCode: number }>({
    method: 'POST',
    path: dockerPath`/containers/${container}/wait`,
    timeoutMilliseconds: 30 * 60_000,
    ...call,
  });
  return code;
}

/** Extracts a tar archive in a container, running or not. @param folder an existing folder of the container */
export async function copyToDockerContainer(
  docker: DockerClient,
  container: string,
  folder: string,
  tar: Buffer | Readable,
  call: DockerCall = {},
): Promise<void> {
  await docker.request({
    method: 'PUT',
    path: dockerPath`/containers/${container}/archive`,
    query: { path: folder },
    tar,
    ...call,
  });
}

/** The resource usage of a container since it started. One that has just exited reports none. */
export interface DockerContainerStats {
  /** ISO 8601, by the clock of the engine's host. */
  readonly read: string;
  /** In nanoseconds. */
  readonly cpu_stats?: { readonly cpu_usage?: { readonly total_usage?: number } };
  /** In bytes. `total_inactive_file` is the name in cgroups v1. */
  readonly memory_stats?: {
    readonly usage?: number;
    readonly stats?: { readonly inactive_file?: number; readonly total_inactive_file?: number };
  };
  readonly networks?: Readonly<Record<string, { readonly rx_bytes: number; readonly tx_bytes: number }>>;
}

/** The current resource usage of a container of this engine. @throws DockerError `not found` */
export const dockerContainerStats = async (
  docker: DockerClient,
  container: string,
  call: DockerCall = {},
): Promise<DockerContainerStats> =>
  docker.request({
    method: 'GET',
    path: dockerPath`/containers/${container}/stats`,
    query: { stream: false, 'one-shot': true },
    ...call,
  });

/** A folder or file of a container, as a tar archive. @throws DockerError `not found` */
export const copyFromDockerContainer = async (
  docker: DockerClient,
  container: string,
  path: string,
  call: DockerCall = {},
): Promise<AsyncIterable<Buffer>> =>
  docker.stream({ method: 'GET', path: dockerPath`/containers/${container}/archive`, query: { path }, ...call });
