import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesText, condition } from '../../../../contract/index.ts';
import type { DeployedCommit } from '../../../common/index.ts';
import {
  ConditionError,
  type GitTokenInput,
  type Observation,
  type RuntimeCall,
  type Task,
  type Say,
} from '../../index.ts';
import type { DockerContext, OwnObjects } from '../docker-context.ts';
import { fetchCommit, GitError, gitFailure, type SourceRepository } from '../git/index.ts';
import { requireReach } from './image-reach.ts';
import { engineForBuilds } from '../nodes/node-engines.ts';
import { observeWork } from '../observe-work.ts';
import { hostsFor, sourceOf, type ServiceSource } from './service-source.ts';
import { terraformDockerfile } from '../terraform/workload.ts';

/** A fetched commit, with the paths to build from. */
export interface FetchedSource extends Pick<ServiceSource, 'root' | 'dockerfile'> {
  readonly repository: SourceRepository;
  readonly commit: DeployedCommit;
  /**
   * The Dockerfile, if it isn't from the repository: the whole repository then becomes the folder `source` next to it.
   */
  readonly generated?: string;
}

const workKey = ({ deploymentId, service }: Task): string => `fetch/${deploymentId}/${service.id}`;

/** The prefix of a deployment's folder names. A process that takes over finds the ones that another left. */
const directoryPrefix = ({ platformId }: Pick<DockerContext, 'platformId'>, { deploymentId, service }: Task): string =>
  `infra-mcp-${platformId.slice(0, 8)}-${deploymentId}-${service.id.slice(0, 8)}-`;

/** Removes and forgets everything that any process fetched for a deployment. */
export async function removeSource(context: Pick<DockerContext, 'work' | 'platformId'>, task: Task): Promise<void> {
  context.work.drop(workKey(task));
  const prefix = directoryPrefix(context, task);
  const left = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  await Promise.all(left.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true, maxRetries: 5 })));
}

/** The generated Dockerfile of a service whose repository has none. */
const generatedDockerfile = ({ terraform }: Pick<DockerContext, 'terraform'>, { service }: Task): string | undefined =>
  service.kind === 'terraform' && terraform !== undefined ? terraformDockerfile(terraform) : undefined;

/**
 * Requires that a commit has the folder to build, and the Dockerfile in it unless that is generated.
 * @throws Error that says why
 */
async function requirePaths(
  repository: SourceRepository,
  { root, dockerfile, request: { branch } }: ServiceSource,
  isGenerated: boolean,
  { git_commit_id: id }: DeployedCommit,
  signal: AbortSignal,
): Promise<void> {
  const commit = id.slice(0, 7);
  if (root !== '' && (await repository.kindAt(id, root, signal)) !== 'tree')
    throw new ConditionError(condition('FOLDER_NOT_FOUND', { path: root, commit, branch }));
  if (isGenerated) return;
  const path = root === '' ? dockerfile : `${root}/${dockerfile}`;
  if ((await repository.kindAt(id, path, signal)) !== 'blob')
    throw new ConditionError(condition('DOCKERFILE_NOT_FOUND', { path, commit, branch }));
}

/** Logs the output of the server and git, which states the cause in their words. */
const tell = (error: unknown, say: (message: string) => void): void => {
  if (error instanceof GitError) for (const line of error.said) say(line);
};

/**
 * Fetches the source of a service's image into a folder of the deployment.
 * @param gitToken the one that the configuration names
 * @throws Error that says why
 */
export async function fetchSource(
  context: OwnObjects & Pick<DockerContext, 'builds' | 'terraform' | 'registry'>,
  task: Task,
  say: Say,
  signal: AbortSignal,
  gitToken?: GitTokenInput,
): Promise<FetchedSource> {
  await requireReach({ ...context, docker: await engineForBuilds(context, signal) }, say, signal);
  const source = sourceOf(task);
  const { request, root, dockerfile } = source;
  const { git, sourceBytes } = context.builds;
  say(
    `Fetching ${request.commitId === undefined ? `the branch ${request.branch}` : `the commit ${request.commitId}`} of ${request.address.url}`,
  );
  const directory = await mkdtemp(join(tmpdir(), directoryPrefix(context, task)));
  try {
    const { repository, commit, bytes } = await fetchCommit(
      hostsFor(git, source, gitToken),
      request,
      directory,
      sourceBytes,
      signal,
    );
    const generated = generatedDockerfile(context, task);
    await requirePaths(repository, source, generated !== undefined, commit, signal);
    say(`Fetched commit ${commit.git_commit_id} (${bytesText(bytes)}): ${commit.message}`);
    return { repository, commit, root, dockerfile, ...(generated !== undefined && { generated }) };
  } catch (error) {
    tell(error, say);
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    throw gitFailure(error, request);
  }
}

/** Starts to fetch the source that a service is built from. */
export async function beginFetch(
  context: OwnObjects & Pick<DockerContext, 'builds' | 'terraform' | 'work' | 'registry'>,
  task: Task,
  { inputs }: Pick<RuntimeCall, 'inputs'>,
): Promise<void> {
  const key = workKey(task);
  if (context.work.progressOf(key) !== undefined) return;
  await removeSource(context, task);
  const { gitToken } = await inputs();
  context.work.begin(key, (say, signal) => fetchSource(context, task, say, signal, gitToken));
}

/** Observes the fetch. Its result is kept for the build. */
export async function observeFetch(
  context: DockerContext,
  task: Task,
  cursor: string | null,
  call: RuntimeCall,
): Promise<Observation> {
  const observation = await observeWork(context, task, cursor, {
    key: workKey(task),
    pod: 'git',
    begin: () => beginFetch(context, task, call),
    onSuccess: (result) => ({ commit: (result as FetchedSource).commit }),
  });
  if (observation.outcome === 'failed') await removeSource(context, task);
  return observation;
}

/** The source that an earlier phase fetched; undefined if another process did. */
export function fetchedSource({ work }: Pick<DockerContext, 'work'>, task: Task): FetchedSource | undefined {
  const end = work.progressOf(workKey(task))?.end;
  return end && 'result' in end ? (end.result as FetchedSource) : undefined;
}
