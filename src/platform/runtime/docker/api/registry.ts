import type { DockerCall, DockerClient } from './client.ts';
import { dockerPath } from './paths.ts';

/** How to sign in to a registry. */
export interface DockerRegistryCredentials {
  readonly username: string;
  readonly password: string;
  /** Host and port of the registry. */
  readonly serveraddress: string;
}

/** Base64 for URLs, with padding: without it, engines ignore the credentials and query the registry anonymously. */
const base64Url = (value: object): string =>
  Buffer.from(JSON.stringify(value)).toString('base64').replaceAll('+', '-').replaceAll('/', '_');

/** The header with the credentials for one registry; none for anonymous requests. */
export const dockerAuthHeaders = (
  credentials: DockerRegistryCredentials | undefined,
): Readonly<Record<string, string>> => (credentials === undefined ? {} : { 'x-registry-auth': base64Url(credentials) });

/** The header with the credentials for the registries that a build may pull from. */
export const dockerRegistryHeaders = (
  credentials: readonly DockerRegistryCredentials[],
): Readonly<Record<string, string>> =>
  credentials.length === 0
    ? {}
    : { 'x-registry-config': base64Url(Object.fromEntries(credentials.map((one) => [one.serveraddress, one]))) };

/** A registry's description of an image. */
export interface DockerDistribution {
  readonly Descriptor: { readonly mediaType: string; readonly digest: string; readonly size: number };
  readonly Platforms?: readonly { readonly architecture: string; readonly os: string }[] | null;
}

/**
 * Queries the registry of an image, through the engine.
 * @param image a name with tag or digest. If it names no registry, the engine queries the public one
 * @throws DockerError: `not found` or `refused` if the image is missing or may not be pulled, `failed` if the registry
 *   can't be reached
 */
export const inspectDockerDistribution = async (
  docker: DockerClient,
  image: string,
  credentials?: DockerRegistryCredentials,
  call: DockerCall = {},
): Promise<DockerDistribution> =>
  docker.request({
    method: 'GET',
    path: dockerPath`/distribution/${image}/json`,
    headers: dockerAuthHeaders(credentials),
    ...call,
  });
