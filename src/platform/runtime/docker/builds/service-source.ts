import { buildSourceFault, sourcePath, type BuildSource } from '../../../common/index.ts';
import type { GitHosts, GitTokenInput, ServiceToRun, Task } from '../../index.ts';
import { type GitRequest, hostsWithToken, parseGitAddress } from '../git/index.ts';

/**
 * The source that a service is built from. Paths have no leading or trailing slashes; the root is empty if it is the
 * root of the repository.
 */
export interface ServiceSource {
  readonly request: GitRequest;
  /** Whether the configuration names a git token. */
  readonly needsToken: boolean;
  readonly root: string;
  readonly dockerfile: string;
}

type SpecOf<Kind extends ServiceToRun['kind']> = Extract<ServiceToRun, { kind: Kind }>['spec'];

/** The part of a configuration that says what to build; undefined for services that aren't built. */
function configuredSource({ kind, spec }: Pick<ServiceToRun, 'kind' | 'spec'>): BuildSource | undefined {
  if (kind === 'application') return spec as SpecOf<'application'>;
  if (kind === 'terraform') return (spec as SpecOf<'terraform'>).terraform_files_source.git;
  return kind === 'job' ? (spec as SpecOf<'job'>).source.docker : undefined;
}

/** Whether the image of a service is built from git. */
export const isBuilt = (service: Pick<ServiceToRun, 'kind' | 'spec'>): boolean =>
  configuredSource(service) !== undefined;

/** Reads the source that a service is built from. @returns it, or why it can't be used, as a sentence */
function readSource(configured: BuildSource, commitId: string | undefined): ServiceSource | string {
  const {
    git_repository: { url, branch = 'main', root_path: rootPath = '/', git_token_id: token },
    dockerfile_path: dockerfilePath,
    dockerfile_raw: raw,
    docker_target_build_stage: stage,
  } = configured;
  if ((raw ?? '') !== '')
    return 'This cluster builds from a Dockerfile in the repository: leave out "dockerfile_raw", and set "dockerfile_path".';
  if ((stage ?? '') !== '')
    return 'This cluster builds the last stage of a Dockerfile: leave out "docker_target_build_stage".';
  const address = parseGitAddress(url);
  if (typeof address === 'string') return address;
  if (commitId !== undefined && !/^[\da-f]{7,64}$/.test(commitId))
    return `"${commitId}" can't be the id of a commit: it has 7 to 64 of the characters 0-9 and a-f.`;
  const fault = buildSourceFault(configured);
  if (fault !== undefined) return `${fault.field}: ${fault.why}.`;
  return {
    request: { address, branch, ...(commitId !== undefined && { commitId }) },
    needsToken: token !== undefined && token !== null && address.scheme !== 'ssh',
    root: sourcePath(rootPath)!,
    dockerfile: sourcePath(dockerfilePath ?? 'Dockerfile')!,
  };
}

/** Why a service can't be built from its configured source; undefined if it can, or if it isn't built. */
export function sourceRefusal(service: Pick<ServiceToRun, 'kind' | 'spec'>): string | undefined {
  const configured = configuredSource(service);
  const source = configured && readSource(configured, undefined);
  return typeof source === 'string' ? source : undefined;
}

/**
 * The source that a task builds its service from.
 * @throws Error with the reason if it can't be used, or if the service isn't built
 */
export function sourceOf({ service, commitId }: Pick<Task, 'service' | 'commitId'>): ServiceSource {
  const configured = configuredSource(service);
  if (configured === undefined) throw new Error(`The image of a ${service.kind} isn't built.`);
  const source = readSource(configured, commitId?.toLowerCase());
  if (typeof source === 'string') throw new Error(source);
  return source;
}

/** Whether a service is deployed whenever its source changes. */
export const deploysByItself = ({
  auto_deploy: isWanted,
}: {
  readonly auto_deploy?: boolean | null | undefined;
}): boolean => isWanted === true;

/** Why such a service is refused, and what to do instead. */
export const autoDeployRefusal =
  'Nothing watches repositories and registries on this cluster: set "auto_deploy" to false, and deploy the service when there is a new commit or tag.';

/**
 * The git servers for a source, with the token that its configuration names.
 * @throws Error if that token no longer exists, or is for another server
 */
export function hostsFor(hosts: GitHosts, source: ServiceSource, gitToken: GitTokenInput | undefined): GitHosts {
  if (source.needsToken && gitToken === undefined)
    throw new Error('The git token of the service no longer exists: choose another one, or leave "git_token_id" out.');
  return hostsWithToken(hosts, source.request.address, source.needsToken ? gitToken : undefined);
}
