import type { DockerCall, DockerClient } from './client.ts';
import { type DockerFilters, dockerPath } from './paths.ts';
import { dockerAuthHeaders, type DockerRegistryCredentials } from './registry.ts';
import type { DockerObject, DockerServiceSpec } from './service-spec.ts';

/** A service or a job of the swarm. */
export interface DockerService extends DockerObject {
  readonly Spec: DockerServiceSpec;
  readonly PreviousSpec?: DockerServiceSpec;
  /** Absent until an update that replaces tasks has started. */
  readonly UpdateStatus?: {
    readonly State: 'updating' | 'paused' | 'completed' | 'rollback_started' | 'rollback_paused' | 'rollback_completed';
    readonly StartedAt?: string;
    readonly CompletedAt?: string;
    readonly Message?: string;
  };
  /** Counts of tasks; only in a list, if requested. */
  readonly ServiceStatus?: {
    readonly RunningTasks: number;
    readonly DesiredTasks: number;
    readonly CompletedTasks?: number;
  };
  /** How often a job has run. */
  readonly JobStatus?: { readonly JobIteration: { readonly Index: number }; readonly LastExecution?: string };
}

/**
 * Lists the services that match the filters; without filters, all of them. Filters are `id`, `name` (a prefix),
 * `label`, `mode`.
 */
export const listDockerServices = async (
  docker: DockerClient,
  filters: DockerFilters = {},
  call: DockerCall = {},
): Promise<readonly DockerService[]> =>
  docker.request({ method: 'GET', path: '/services', query: { filters, status: true }, ...call });

/** One service, by id or name. @throws DockerError `not found` */
export const inspectDockerService = async (
  docker: DockerClient,
  service: string,
  call: DockerCall = {},
): Promise<DockerService> => docker.request({ method: 'GET', path: dockerPath`/services/${service}`, ...call });

/**
 * Creates a service.
 * @param credentials for the registry of its image.
 * @returns its id.
 * @throws DockerError `conflict` if the name is taken
 */
export async function createDockerService(
  docker: DockerClient,
  spec: DockerServiceSpec,
  credentials?: DockerRegistryCredentials,
  call: DockerCall = {},
): Promise<string> {
  const { ID: id } = await docker.request<{ ID: string }>({
    method: 'POST',
    path: '/services/create',
    json: spec,
    headers: dockerAuthHeaders(credentials),
    ...call,
  });
  return id;
}

/**
 * Replaces the spec of a service. Its name and mode can't change.
 * @param version the version that the new spec is based on, from `Version.Index`
 * @param credentials for the registry of its image
 * @throws DockerError `stale` if the service has another version by now
 */
export async function updateDockerService(
  docker: DockerClient,
  service: string,
  version: number,
  spec: DockerServiceSpec,
  credentials?: DockerRegistryCredentials,
  call: DockerCall = {},
): Promise<void> {
  await docker.request({
    method: 'POST',
    path: dockerPath`/services/${service}/update`,
    query: { version },
    json: spec,
    headers: dockerAuthHeaders(credentials),
    ...call,
  });
}

/** Deletes a service with its tasks. Their containers stop a little later. @throws DockerError `not found` */
export async function deleteDockerService(docker: DockerClient, service: string, call: DockerCall = {}): Promise<void> {
  await docker.request({ method: 'DELETE', path: dockerPath`/services/${service}`, ...call });
}
