import type { Readable } from 'node:stream';
import type { DockerCall, DockerClient, DockerRequest } from './client.ts';
import { type DockerFilters, dockerPath } from './paths.ts';
import { dockerAuthHeaders, dockerRegistryHeaders, type DockerRegistryCredentials } from './registry.ts';
import type { DockerLabels } from './service-spec.ts';
import { type DockerProgress, dockerProgress } from './streams.ts';

/** An image of this engine. */
export interface DockerImage {
  readonly Id: string;
  readonly RepoTags: readonly string[] | null;
  readonly RepoDigests: readonly string[] | null;
  readonly Os: string;
  readonly Architecture: string;
  /** In bytes. */
  readonly Size: number;
  readonly Config?: {
    readonly Labels?: DockerLabels | null;
    readonly Entrypoint?: readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly ExposedPorts?: Readonly<Record<string, object>> | null;
    readonly User?: string;
    readonly Healthcheck?: object | null;
  };
}

/** An image in a list. */
export interface DockerImageSummary {
  readonly Id: string;
  /** The image that it was built on, if this engine built it; empty if there is none. */
  readonly ParentId?: string;
  readonly RepoTags: readonly string[] | null;
  readonly RepoDigests: readonly string[] | null;
  readonly Labels: DockerLabels | null;
  /** Seconds since 1970. */
  readonly Created: number;
  /** In bytes. */
  readonly Size: number;
}

/** A build. */
export interface DockerBuild extends DockerCall {
  /** The build context as a tar archive. */
  readonly context: Buffer | Readable;
  /** Names with tags for the image. */
  readonly tags: readonly string[];
  /** Path of the Dockerfile in the context. Default: Dockerfile. */
  readonly dockerfile?: string;
  /** The stage to build. Default: the last. */
  readonly target?: string;
  readonly labels?: DockerLabels;
  /** They are kept in the image's history: no secrets. */
  readonly buildArguments?: Readonly<Record<string, string>>;
  /** The memory limit of each container of the build, in bytes. Classic builder only. */
  readonly memory?: number;
  readonly networkMode?: string;
  /** Entries of the hosts file in each container of the build, as name:address. */
  readonly extraHosts?: readonly string[];
  readonly withoutCache?: boolean;
  /** Whether to check registries for newer base images. */
  readonly pull?: boolean;
  /** For base images. Classic builder only. */
  readonly credentials?: readonly DockerRegistryCredentials[];
  /** Classic, or BuildKit: its messages have no text, and it can't pull private base images. Default: classic. */
  readonly builder?: 'classic' | 'buildkit';
}

/**
 * Builds an image, and yields its progress. Returning early or aborting the signal cancels the build.
 * @throws DockerError `failed` with the exit code of a failed step as `code`
 */
export async function* buildDockerImage(
  docker: DockerClient,
  build: DockerBuild,
): AsyncGenerator<DockerProgress, void> {
  const {
    context,
    tags,
    dockerfile,
    target,
    labels = {},
    buildArguments = {},
    memory,
    networkMode,
    extraHosts,
    withoutCache = false,
    pull = false,
    credentials = [],
    builder = 'classic',
    ...call
  } = build;
  const request: DockerRequest = {
    method: 'POST',
    path: '/build',
    tar: context,
    headers: dockerRegistryHeaders(credentials),
    // Without `rm` and `forcerm`, the containers of the steps stay.
    query: {
      t: tags,
      dockerfile,
      target,
      labels,
      buildargs: buildArguments,
      memory,
      networkmode: networkMode,
      extrahosts: extraHosts,
      nocache: withoutCache,
      pull,
      rm: true,
      forcerm: true,
      version: builder === 'classic' ? 1 : 2,
    },
    ...call,
  };
  yield* dockerProgress(await docker.stream(request), request);
}

/**
 * Pulls an image, and yields its progress.
 * @param image a name with tag or digest.
 * @throws DockerError if it is missing, or may not be pulled
 */
export async function* pullDockerImage(
  docker: DockerClient,
  image: string,
  credentials?: DockerRegistryCredentials,
  call: DockerCall = {},
): AsyncGenerator<DockerProgress, void> {
  const request: DockerRequest = {
    method: 'POST',
    path: '/images/create',
    query: { fromImage: image },
    headers: dockerAuthHeaders(credentials),
    ...call,
  };
  yield* dockerProgress(await docker.stream(request), request);
}

/**
 * Pushes an image of this engine to the registry in its name, and yields its progress.
 * @param image a name with tag.
 * @throws DockerError
 */
export async function* pushDockerImage(
  docker: DockerClient,
  image: string,
  credentials?: DockerRegistryCredentials,
  call: DockerCall = {},
): AsyncGenerator<DockerProgress, void> {
  const { repository, tag } = splitImageName(image);
  // Engines require the header, even for anonymous requests.
  const headers = dockerAuthHeaders(credentials ?? { username: '', password: '', serveraddress: '' });
  const request: DockerRequest = {
    method: 'POST',
    path: dockerPath`/images/${repository}/push`,
    query: { tag },
    headers,
    ...call,
  };
  yield* dockerProgress(await docker.stream(request), request);
}

/** Splits a name with a tag. A colon before the last slash belongs to the port of a registry. */
export const splitImageName = (image: string): { readonly repository: string; readonly tag?: string } => {
  const colon = image.lastIndexOf(':');
  return colon > image.lastIndexOf('/')
    ? { repository: image.slice(0, colon), tag: image.slice(colon + 1) }
    : { repository: image };
};

/** One image of this engine, by id or name. @throws DockerError `not found` */
export const inspectDockerImage = async (
  docker: DockerClient,
  image: string,
  call: DockerCall = {},
): Promise<DockerImage> => docker.request({ method: 'GET', path: dockerPath`/images/${image}/json`, ...call });

/** The images that match; all without filters. Filters are `label`, `reference`, `dangling`. */
export const listDockerImages = async (
  docker: DockerClient,
  filters: DockerFilters = {},
  call: DockerCall = {},
): Promise<readonly DockerImageSummary[]> =>
  docker.request({ method: 'GET', path: '/images/json', query: { filters }, ...call });

/** The registry in the name of an image. @param image with its registry */
export const hostOfImage = (image: string): string => image.split('/', 1)[0]!;

/** Gives an image another name. @param name with a tag */
export async function tagDockerImage(
  docker: DockerClient,
  image: string,
  name: string,
  call: DockerCall = {},
): Promise<void> {
  const { repository, tag } = splitImageName(name);
  await docker.request({
    method: 'POST',
    path: dockerPath`/images/${image}/tag`,
    query: { repo: repository, tag },
    ...call,
  });
}

/**
 * Removes a name of an image, and with the last name the image itself.
 * @param force also if an exited container uses it.
 * @throws DockerError `not found`, or `conflict` while a container uses it
 */
export async function removeDockerImage(
  docker: DockerClient,
  image: string,
  { force, ...call }: DockerCall & { readonly force?: boolean } = {},
): Promise<void> {
  await docker.request({ method: 'DELETE', path: dockerPath`/images/${image}`, query: { force }, ...call });
}

/**
 * Removes the images that have a label and that no container uses.
 * @param label a name, or `name=value`.
 * @returns the number of bytes freed
 */
export async function pruneDockerImages(docker: DockerClient, label: string, call: DockerCall = {}): Promise<number> {
  // Without `dangling=false`, only unnamed images would be removed.
  const { SpaceReclaimed: bytes } = await docker.request<{ SpaceReclaimed: number }>({
    method: 'POST',
    path: '/images/prune',
    query: { filters: { dangling: ['false'], label: [label] } },
    ...call,
  });
  return bytes;
}
