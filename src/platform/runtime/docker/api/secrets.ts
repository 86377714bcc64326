import type { DockerCall, DockerClient } from './client.ts';
import { isDockerError } from './errors.ts';
import { type DockerFilters, dockerPath } from './paths.ts';
import type { DockerLabels, DockerObject } from './service-spec.ts';

/** A secret; the engine never returns its content. */
export interface DockerSecret extends DockerObject {
  readonly Spec: { readonly Name: string; readonly Labels?: DockerLabels };
}

/** A config: a file that isn't secret. */
export interface DockerConfig extends DockerObject {
  /** `Data` is base64. */
  readonly Spec: { readonly Name: string; readonly Labels?: DockerLabels; readonly Data?: string };
}

/** A secret or config to create. Neither can change: new content requires a new name. */
export interface DockerFileSpec {
  /** At most 64 characters. */
  readonly name: string;
  readonly labels?: DockerLabels;
  /** Less than 500 KiB for a secret, 1000 KiB for a config. */
  readonly content: Buffer;
}

async function createFile(
  docker: DockerClient,
  kind: 'secrets' | 'configs',
  { name, labels = {}, content }: DockerFileSpec,
  call: DockerCall,
): Promise<string> {
  const { ID: id } = await docker.request<{ ID: string }>({
    method: 'POST',
    path: `/${kind}/create`,
    json: { Name: name, Labels: labels, Data: content.toString('base64') },
    ...call,
  });
  return id;
}

/** The secrets that match; all without filters. Filters are `id`, `name` (a part of it), `label`. */
export const listDockerSecrets = async (
  docker: DockerClient,
  filters: DockerFilters = {},
  call: DockerCall = {},
): Promise<readonly DockerSecret[]> => docker.request({ method: 'GET', path: '/secrets', query: { filters }, ...call });

/** Creates a secret. @returns its id. @throws DockerError `conflict` if the name is taken */
export const createDockerSecret = async (
  docker: DockerClient,
  spec: DockerFileSpec,
  call: DockerCall = {},
): Promise<string> => createFile(docker, 'secrets', spec, call);

/** Deletes a secret, by id or name. @throws DockerError `not found`, or `refused` while a service uses it */
export async function deleteDockerSecret(docker: DockerClient, secret: string, call: DockerCall = {}): Promise<void> {
  await docker.request({ method: 'DELETE', path: dockerPath`/secrets/${secret}`, ...call });
}

/**
 * The configs that match, with their content; all without filters. Filters are `id`, `name` (a part of it), `label`.
 */
export const listDockerConfigs = async (
  docker: DockerClient,
  filters: DockerFilters = {},
  call: DockerCall = {},
): Promise<readonly DockerConfig[]> => docker.request({ method: 'GET', path: '/configs', query: { filters }, ...call });

/** Creates a config. @returns its id. @throws DockerError `conflict` if the name is taken */
export const createDockerConfig = async (
  docker: DockerClient,
  spec: DockerFileSpec,
  call: DockerCall = {},
): Promise<string> => createFile(docker, 'configs', spec, call);

/** Deletes a config, by id or name. @throws DockerError `not found`, or `refused` while a service uses it */
export async function deleteDockerConfig(docker: DockerClient, config: string, call: DockerCall = {}): Promise<void> {
  await docker.request({ method: 'DELETE', path: dockerPath`/configs/${config}`, ...call });
}

/** Creates a secret or config, or finds the one that an interrupted attempt created. Their content never changes. */
export async function createOrFind(
  create: () => Promise<string>,
  find: () => Promise<readonly Pick<DockerConfig, 'ID' | 'Spec'>[]>,
  name: string,
): Promise<string> {
  try {
    return await create();
  } catch (error) {
    if (!isDockerError(error, 'conflict')) throw error;
    const found = (await find()).find(({ Spec }) => Spec.Name === name);
    if (found === undefined) throw error;
    return found.ID;
  }
}
