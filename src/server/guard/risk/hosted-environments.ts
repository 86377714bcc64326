import { operations } from '../../../contract/operations.ts';
import type { EnvironmentMode } from '../../../contract/resources/environment.ts';
import type { Reader } from '../../context/reader.ts';
import { asMode, listOfOrganization, textIn, wholeListIn } from '../../context/reads.ts';
import type { JsonRecord } from '../../json/values.ts';

/** Most projects whose environments are read to find out what a cluster hosts: each takes a request of the token's budget. */
const maximumProjects = 20;

/** Requests that are under way at the same time. */
const concurrentReads = 5;

/** Longest that is looked for what a cluster hosts, in milliseconds. */
export const maximumSearchTime = 5_000;

/** What a search may take. */
export interface SearchLimit {
  /** Whether it has taken too long. */
  readonly isOver: () => boolean;
}

type HostedMode = 'PRODUCTION' | 'unknown' | 'none';

/** An environment that a cluster hosts, or may host where it doesn't say its cluster. */
export interface HostedEnvironment {
  readonly id?: string;
  readonly name?: string;
  readonly project: { readonly id?: string; readonly name?: string };
  /** `unknown` where it is production that may be on another cluster. */
  readonly mode: EnvironmentMode | 'unknown';
}

/** What was found of what a cluster hosts. */
interface HostedEnvironments {
  readonly environments: readonly HostedEnvironment[];
  /** Whether that is all. */
  readonly isComplete: boolean;
}

const isProduction = ({ mode }: HostedEnvironment): boolean => mode === 'PRODUCTION';

/** What it means for a cluster's mode. */
const modeOfHosting = ({ environments, isComplete: isWhole }: HostedEnvironments): HostedMode =>
  environments.some(isProduction) ? 'PRODUCTION' : !isWhole || environments.some(({ mode }) => mode === 'unknown') ? 'unknown' : 'none';

/** The environments of a project that are, or may be, on the cluster; undefined where not all of them can be read. */
async function hostedIn(project: JsonRecord, clusterId: string, reader: Reader): Promise<readonly HostedEnvironment[] | undefined> {
  const all = wholeListIn(await reader.attempt(operations.list_environments, { project_id: String(project['id']) }));
  const near = all?.filter((one) => textIn(one, 'cluster_id') === undefined || one['cluster_id'] === clusterId);
  return near?.map((one) => {
    const mode = asMode(one['mode']);
    const isSure = one['cluster_id'] === clusterId || mode !== 'PRODUCTION';
    return { id: textIn(one, 'id'), name: textIn(one, 'name'), project: { id: textIn(project, 'id'), name: textIn(project, 'name') }, mode: isSure ? mode : 'unknown' };
  });
}

/**
 * What a cluster hosts: whoever changes the cluster changes that too. Reads the projects and their environments, within a
 * bounded number of requests and time.
 * @param isEnough whether nothing more has to be found than these.
 * @throws ApiError when the platform fails, other than by not offering or forbidding the read.
 */
export async function findHostedEnvironments(clusterId: string, reader: Reader, patience: SearchLimit, isEnough: (found: readonly HostedEnvironment[]) => boolean = () => false): Promise<HostedEnvironments> {
  const projects = wholeListIn(await listOfOrganization(operations.list_projects, reader));
  if (!projects) return { environments: [], isComplete: false };
  const near = projects.slice(0, maximumProjects);
  const environments: HostedEnvironment[] = [];
  let isWhole = near.length === projects.length;
  for (let first = 0; first < near.length && !isEnough(environments); first += concurrentReads) {
    if (patience.isOver()) return { environments, isComplete: false };
    // Later ones are read only where the earlier ones weren't enough.
    // oxlint-disable-next-line no-await-in-loop
    const found = await Promise.all(near.slice(first, first + concurrentReads).map((project) => hostedIn(project, clusterId, reader)));
    environments.push(...found.flatMap((one) => one ?? []));
    isWhole &&= !found.includes(undefined);
  }
  return { environments, isComplete: isWhole };
}

/**
 * Whether a cluster hosts a PRODUCTION environment, whatever the cluster says of itself. What isn't found, or can't be
 * read, is `unknown`. Looks no further than the first that is found.
 * @throws ApiError when the platform fails.
 */
export const hostedModeOf = async (clusterId: string, reader: Reader, patience: SearchLimit): Promise<HostedMode> =>
  modeOfHosting(await findHostedEnvironments(clusterId, reader, patience, (found) => found.some(isProduction)));
