import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { condition } from '../../../../contract/index.ts';
import {
  buildPod,
  ConditionError,
  type Observation,
  type ResolvedVariable,
  type TaskInputs,
  type RuntimeCall,
  type Task,
  type Say,
} from '../../index.ts';
import { buildMark, removeBuildContainers } from './build-containers.ts';
import { createBuildLog } from './build-log.ts';
import { deleteOldSteps, stepImage } from './built-images.ts';
import type { DockerContext, OwnObjects, RegistryAccess } from '../docker-context.ts';
import {
  buildDockerImage,
  hostOfImage,
  ignoring,
  dockerInfo,
  inspectDockerImage,
  isDockerError,
  pushDockerImage,
  tagDockerImage,
  type DockerImage,
} from '../api/index.ts';
import { fetchedSource, fetchSource, removeSource, type FetchedSource } from './fetch-source.ts';
import { credentialsForImage } from './image-reach.ts';
import { serviceLabels } from '../labels.ts';
import { builtRepository } from '../names.ts';
import { engineForBuilds } from '../nodes/node-engines.ts';
import { observeWork } from '../observe-work.ts';
import { writeRecord, type DockerRecord } from '../record.ts';
import { tarEntry } from '../tar.ts';

/** Facts about a Dockerfile that the build needs in advance. */
interface DockerfileFacts {
  /** The names of its build arguments. */
  readonly arguments: readonly string[];
  /** The registries that the base images come from, each as host:port. */
  readonly registries: readonly string[];
}

/** The registry of image names without a host, as credentials name it. */
const publicRegistryAddress = 'https://index.docker.io/v1/';

const registryOf = (image: string): string => {
  const [first = '', ...rest] = image.split('/');
  return rest.length > 0 && (/[.:]/.test(first) || first === 'localhost') ? first : publicRegistryAddress;
};

/** Reads a Dockerfile, as far as possible without executing it: base images named by arguments stay unknown. */
function readDockerfile(text: string): DockerfileFacts {
  const lines = text
    .replaceAll(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .map((line) => line.trim());
  const declared = lines.flatMap(
    (line) => /^ARG\s+(?<names>.+)$/i.exec(line)?.groups?.['names']?.match(/(?<=^|\s)[A-Za-z_]\w*(?==|\s|$)/g) ?? [],
  );
  const images = lines.flatMap((line) =>
    [
      /^FROM\s+(?:--\S+\s+)*(?<image>\S+)/i.exec(line)?.groups?.['image'] ?? [],
      /^COPY\s.*--from=(?<image>\S+)/i.exec(line)?.groups?.['image'] ?? [],
    ].flat(),
  );
  return { arguments: [...new Set(declared)], registries: [...new Set(images.map(registryOf))] };
}

/** The inputs of one build. */
interface BuildParts {
  readonly source: FetchedSource;
  readonly dockerfile: DockerfileFacts;
  readonly buildArguments: Readonly<Record<string, string>>;
  /** The name of the image without its tag, and with it. */
  readonly repository: string;
  readonly name: string;
}

const workKey = ({ deploymentId, service }: Task): string => `build/${deploymentId}/${service.id}`;

/**
 * The variables that a Dockerfile takes as arguments. Secret ones are left out: arguments can be read in the image's
 * history.
 */
function argumentsOf(
  { arguments: names }: DockerfileFacts,
  variables: readonly ResolvedVariable[],
  say: Say,
): Readonly<Record<string, string>> {
  const taken = variables.filter(({ key, mountPath }) => mountPath === undefined && names.includes(key));
  for (const { key } of taken.filter(({ isSecret }) => isSecret))
    say(`The build gets no value for ${key}: it is secret, and arguments of builds can be read in the image.`);
  return Object.fromEntries(taken.filter(({ isSecret }) => !isSecret).map(({ key, value }) => [key, value]));
}

async function partsOf(
  { platformId, builds }: Pick<DockerContext, 'builds' | 'platformId'>,
  { service }: Task,
  source: FetchedSource,
  variables: readonly ResolvedVariable[],
  say: Say,
  signal: AbortSignal,
): Promise<BuildParts> {
  const { repository: git, commit, root, dockerfile: path, generated } = source;
  const dockerfile = readDockerfile(
    generated ?? (await git.fileAt(commit.git_commit_id, root === '' ? path : `${root}/${path}`, signal)),
  );
  const buildArguments = argumentsOf(dockerfile, variables, say);
  const repository = builtRepository(platformId, service, builds.registry);
  // Everything else that determines the image is in its name, so that an existing image of that name needs no new
  // build.
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([...(generated === undefined ? [root, path] : [generated]), Object.entries(buildArguments)]))
    .digest('hex')
    .slice(0, 12);
  return {
    source,
    dockerfile,
    buildArguments,
    repository,
    name: `${repository}:${commit.git_commit_id.slice(0, 12)}-${fingerprint}`,
  };
}

/** The archive of a source. It fails when it gets too large. */
async function* limitedArchive(
  { repository, commit: { git_commit_id: id }, root, dockerfile, generated }: FetchedSource,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  if (generated !== undefined) yield tarEntry(dockerfile, Buffer.from(generated));
  for await (const chunk of generated === undefined
    ? repository.archive(id, root, signal)
    : repository.archive(id, '', signal, 'source')) {
    bytes += chunk.length;
    if (bytes > limit) throw new ConditionError(condition('SOURCE_TOO_LARGE', { limit }));
    yield chunk;
  }
}

/** Builds an image, and reports its log. */
async function build(
  context: OwnObjects & Pick<DockerContext, 'builds' | 'credentialsFor'>,
  task: Task,
  { source, dockerfile, buildArguments, repository, name }: BuildParts,
  say: Say,
  signal: AbortSignal,
): Promise<void> {
  const {
    docker,
    platformId,
    builds: { sourceBytes, buildMilliseconds, memoryBytes },
  } = context;
  const log = createBuildLog(say);
  const archive = Readable.from(limitedArchive(source, sourceBytes, signal), { objectMode: false });
  let archiveError: unknown;
  archive.once('error', (error) => {
    archiveError = error;
  });
  const credentials = dockerfile.registries.flatMap((host) => {
    const known = context.credentialsFor(host === publicRegistryAddress ? 'docker.io' : host);
    return known === undefined ? [] : [{ ...known, serveraddress: host }];
  });
  try {
    const progress = buildDockerImage(docker, {
      context: archive,
      tags: [name],
      dockerfile: source.dockerfile,
      labels: serviceLabels(platformId, task.service),
      buildArguments,
      memory: memoryBytes,
      extraHosts: [buildMark(platformId, task.service)],
      credentials,
      signal,
      timeoutMilliseconds: buildMilliseconds,
    });
    for await (const message of progress) {
      const made = log.read(message);
      if (made !== undefined) await tagDockerImage(docker, made, stepImage(repository, made), { signal });
    }
  } catch (error) {
    if (signal.aborted) throw error;
    if (archiveError instanceof Error) throw archiveError;
    if (isDockerError(error, 'timeout'))
      throw new ConditionError(condition('BUILD_OVERDUE', { seconds: buildMilliseconds / 1000 }), { cause: error });
    throw log.failure(error);
  } finally {
    archive.destroy();
  }
  await removeBuildContainers(context, task.service, signal);
  await deleteOldSteps(context, task.service, log.used, signal);
}

/** Pushes an image to the registry for built images. @returns its name with the digest */
async function push(
  context: RegistryAccess & Pick<DockerContext, 'docker'>,
  { repository, name }: BuildParts,
  say: Say,
  signal: AbortSignal,
): Promise<string> {
  const host = hostOfImage(repository);
  say(`Pushing ${name}`);
  try {
    for await (const { aux } of pushDockerImage(context.docker, name, credentialsForImage(context, name), { signal })) {
      const { Digest: digest } = (aux ?? {}) as { Digest?: string };
      if (digest !== undefined) return `${repository}@${digest}`;
    }
  } catch (error) {
    if (!isDockerError(error) || error.kind === 'unreachable') throw error;
    throw new ConditionError(condition('PUSH_FAILED', { registry: host, said: error.reason }), { cause: error });
  }
  throw new Error(`The registry ${host} did not return the digest of the image.`);
}

/** Pushes an image to an external registry, with one attempt, or to the cluster's own. */
const pushed = (
  context: RegistryAccess & Pick<DockerContext, 'docker'>,
  parts: BuildParts,
  say: Say,
  signal: AbortSignal,
): Promise<string> => {
  const work = (): Promise<string> => push(context, parts, say, signal);
  return context.registry ? context.registry.push(context.docker, work, say, signal) : work();
};

/**
 * Builds the image of a service from its source, unless the engine has it.
 * @returns the image, with its entrypoint and command
 * @throws Error that says why
 */
async function imageFrom(
  general: DockerContext,
  task: Task,
  { variables, gitToken }: Pick<TaskInputs, 'variables' | 'gitToken'>,
  say: Say,
  signal: AbortSignal,
): Promise<DockerRecord> {
  // All steps use the images of one machine.
  const context = { ...general, docker: await engineForBuilds(general, signal) };
  const source = fetchedSource(context, task) ?? (await fetchSource(context, task, say, signal, gitToken));
  const parts = await partsOf(context, task, source, variables, say, signal);
  const find = (): Promise<DockerImage | undefined> =>
    inspectDockerImage(context.docker, parts.name, { signal }).catch(ignoring('not found'));
  const present = await find();
  if (present === undefined) {
    say(`Building ${parts.name} with ${source.dockerfile}`);
    await build(context, task, parts, say, signal);
  } else {
    say('This commit was built before, with the same settings: its image is used.');
  }
  const image = present ?? (await find());
  if (image === undefined) throw new Error('The image was removed on the engine while the service was deployed.');
  const { Id: id, Config: config } = image;
  const built =
    context.builds.registry === undefined
      ? { image: id, nodeId: (await dockerInfo(context.docker, { signal })).Swarm.NodeID }
      : { image: await pushed(context, parts, say, signal) };
  return { ...built, entrypoint: [...(config?.Entrypoint ?? [])], command: [...(config?.Cmd ?? [])] };
}

/** Starts to build the image of a service. */
export async function beginBuild(context: DockerContext, task: Task, { inputs }: RuntimeCall): Promise<void> {
  if (context.work.progressOf(workKey(task)) !== undefined) return;
  // Another process may have left a part of the source.
  if (fetchedSource(context, task) === undefined) await removeSource(context, task);
  const given = await inputs();
  context.work.begin(workKey(task), (say, signal) => imageFrom(context, task, given, say, signal));
}

/** Observes a build, with the new lines of its log. */
export async function observeBuild(
  context: DockerContext,
  task: Task,
  cursor: string | null,
  call: RuntimeCall,
): Promise<Observation> {
  const observation = await observeWork(context, task, cursor, {
    key: workKey(task),
    pod: buildPod(task.deploymentId),
    begin: () => beginBuild(context, task, call),
    onSuccess: (result) => ({ record: writeRecord(result as DockerRecord) }),
  });
  if (observation.outcome !== 'ongoing') await abandonBuild(context, task);
  return observation;
}

/** Stops a fetch or a build that is no longer wanted, and removes the fetched source. */
export async function abandonBuild(context: Pick<DockerContext, 'work' | 'platformId'>, task: Task): Promise<void> {
  context.work.drop(workKey(task));
  await removeSource(context, task);
}
