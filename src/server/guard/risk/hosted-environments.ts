import {
  isProduction,
  mayBeProduction,
  mostCriticalOf,
  operations,
  type EnvironmentMode,
} from '../../../contract/index.ts';
import {
  asMode,
  listOfOrganization,
  nameOfProject,
  pointerIn,
  textIn,
  wholeListIn,
  wholeListOfOrganization,
  type Reader,
  type Target,
} from '../../context/index.ts';
import type { JsonRecord } from '../../json/index.ts';

/**
 * Maximum number of projects whose environments are read to find those that a cluster hosts. Each costs one request of
 * the token's budget.
 */
const maximumProjects = 20;

/** The number of concurrent requests. */
const concurrentReads = 5;

/** Maximum duration of a search for a cluster's environments, in milliseconds. */
export const maximumSearchTime = 5_000;

/** A time limit for a search. */
export interface SearchLimit {
  /** Whether the time is up. */
  readonly isOver: () => boolean;
}

/** An environment that a cluster hosts, or may host if the environment doesn't name its cluster. */
export interface HostedEnvironment {
  readonly id?: string;
  readonly name?: string;
  readonly project: { readonly id?: string; readonly name?: string };
  /** `unknown` for a production environment that may be on another cluster. */
  readonly mode: EnvironmentMode | 'unknown';
}

/** The environments found on a cluster. */
interface HostedEnvironments {
  readonly environments: readonly HostedEnvironment[];
  /** Whether these are all of them. */
  readonly isComplete: boolean;
}

/** The mode of a cluster that hosts these environments: theirs if one is, or may be, production. */
function modeOfHosting({ environments, isComplete }: HostedEnvironments): Target['mode'] {
  const mode = mostCriticalOf([...environments.map((one) => one.mode), ...(isComplete ? [] : ['unknown' as const])]);
  return mayBeProduction(mode) ? mode : 'none';
}

/** The environments of a project that are, or may be, on the cluster; undefined if not all of them can be read. */
async function hostedIn(
  project: JsonRecord,
  clusterId: string,
  reader: Reader,
): Promise<readonly HostedEnvironment[] | undefined> {
  const all = wholeListIn(await reader.attempt(operations.list_environments, { project_id: String(project['id']) }));
  const candidates = all?.filter((one) => textIn(one, 'cluster_id') === undefined || one['cluster_id'] === clusterId);
  return candidates?.map((one) => {
    const mode = asMode(one['mode']);
    const isSure = one['cluster_id'] === clusterId || !isProduction(mode);
    return {
      id: textIn(one, 'id'),
      name: textIn(one, 'name'),
      project: { id: textIn(project, 'id'), name: textIn(project, 'name') },
      mode: isSure ? mode : 'unknown',
    };
  });
}

/**
 * The environments on the cluster by the list of the organization. Undefined if the platform has no such list, gives
 * only a part of it, or doesn't tell everything of a row: what the list of a project tells of that may be more.
 */
async function hostedInOrganization(
  clusterId: string,
  reader: Reader,
): Promise<readonly HostedEnvironment[] | undefined> {
  const all = await wholeListOfOrganization(operations.list_environments_of_organization, reader);
  const found = all?.map((one) => ({
    clusterId: textIn(one, 'cluster_id'),
    id: textIn(one, 'id'),
    name: textIn(one, 'name'),
    project: { id: pointerIn(one, 'project'), ...nameOfProject(one) },
    mode: asMode(one['mode']),
  }));
  const isToldWholly = found?.every(
    (one) =>
      one.clusterId !== undefined && one.id !== undefined && one.project.id !== undefined && one.mode !== 'unknown',
  );
  return isToldWholly
    ? found
        ?.filter((one) => one.clusterId === clusterId)
        .map(({ id, name, project, mode }) => ({ id, name, project, mode }))
    : undefined;
}

/**
 * Finds the environments that a cluster hosts, since a change to the cluster affects them too. Reads the projects and
 * their environments, with a limit on requests and time; those of many projects in the list of the organization, if that
 * tells them all.
 * @param isEnough whether the search may stop with the environments found so far.
 * @throws ApiError if the platform fails, other than by not offering or forbidding a read.
 */
export async function findHostedEnvironments(
  clusterId: string,
  reader: Reader,
  searchLimit: SearchLimit,
  isEnough: (found: readonly HostedEnvironment[]) => boolean = () => false,
): Promise<HostedEnvironments> {
  const projects = wholeListIn(await listOfOrganization(operations.list_projects, reader));
  if (!projects) return { environments: [], isComplete: false };
  const listed = projects.length > concurrentReads ? await hostedInOrganization(clusterId, reader) : undefined;
  if (listed) return { environments: listed, isComplete: true };
  const searched = projects.slice(0, maximumProjects);
  const environments: HostedEnvironment[] = [];
  let isComplete = searched.length === projects.length;
  for (let first = 0; first < searched.length && !isEnough(environments); first += concurrentReads) {
    if (searchLimit.isOver()) return { environments, isComplete: false };
    // Later projects are read only if the earlier ones weren't enough.
    const found = await Promise.all(
      searched.slice(first, first + concurrentReads).map((project) => hostedIn(project, clusterId, reader)),
    );
    environments.push(...found.flatMap((one) => one ?? []));
    isComplete &&= !found.includes(undefined);
  }
  return { environments, isComplete };
}

/**
 * Whether a cluster hosts a PRODUCTION environment, regardless of the cluster's own flag. The mode is `unknown` if an
 * environment can't be found or read. Stops at the first production environment.
 * @throws ApiError if the platform fails.
 */
export const hostedModeOf = async (
  clusterId: string,
  reader: Reader,
  searchLimit: SearchLimit,
): Promise<Target['mode']> =>
  modeOfHosting(
    await findHostedEnvironments(clusterId, reader, searchLimit, (found) =>
      found.some(({ mode }) => isProduction(mode)),
    ),
  );
