import type { DockerCall, DockerClient } from './client.ts';
import { type DockerFilters, dockerPath } from './paths.ts';
import type { DockerLabels } from './service-spec.ts';

/** A volume of this engine. */
export interface DockerVolume {
  readonly Name: string;
  readonly Driver: string;
  /** Its path on the engine's host. */
  readonly Mountpoint: string;
  /** ISO 8601. */
  readonly CreatedAt?: string;
  readonly Labels: DockerLabels | null;
}

/**
 * The volumes of this engine that match; all without filters. Filters are `name` (a part of it), `label`, `dangling`.
 */
export async function listDockerVolumes(
  docker: DockerClient,
  filters: DockerFilters = {},
  call: DockerCall = {},
): Promise<readonly DockerVolume[]> {
  const { Volumes: volumes } = await docker.request<{ Volumes: readonly DockerVolume[] | null }>({
    method: 'GET',
    path: '/volumes',
    query: { filters },
    ...call,
  });
  return volumes ?? [];
}

/** One volume, by name. @throws DockerError `not found` */
export const inspectDockerVolume = async (
  docker: DockerClient,
  name: string,
  call: DockerCall = {},
): Promise<DockerVolume> => docker.request({ method: 'GET', path: dockerPath`/volumes/${name}`, ...call });

/** Creates a volume. An existing one with this name stays unchanged and keeps its labels. */
export const createDockerVolume = async (
  docker: DockerClient,
  name: string,
  labels: DockerLabels = {},
  call: DockerCall = {},
): Promise<DockerVolume> =>
  docker.request({ method: 'POST', path: '/volumes/create', json: { Name: name, Labels: labels }, ...call });

/** Deletes a volume with its content. @throws DockerError `not found`, or `conflict` while a container uses it */
export async function deleteDockerVolume(docker: DockerClient, name: string, call: DockerCall = {}): Promise<void> {
  await docker.request({ method: 'DELETE', path: dockerPath`/volumes/${name}`, ...call });
}
