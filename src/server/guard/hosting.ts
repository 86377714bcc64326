import { operations } from '../../contract/operations.ts';
import { attempt, asMode, listOfOrganization, textIn, wholeListIn, type Read } from '../context/reads.ts';
import type { JsonRecord } from '../json/values.ts';

/** Most projects whose environments are read to find out what a cluster hosts: each takes a request of the token's budget. */
const mostProjects = 20;

/** Requests that are under way at the same time. */
const atOnce = 5;

/** Longest that is looked for what a cluster hosts, in milliseconds. */
export const longestSearch = 5_000;

/** What a search may take. */
export interface Patience {
  /** Whether it has taken too long. */
  readonly isOver: () => boolean;
}

type Hosted = 'PRODUCTION' | 'unknown' | 'none';

const worst = (found: readonly Hosted[]): Hosted => (found.includes('PRODUCTION') ? 'PRODUCTION' : found.includes('unknown') ? 'unknown' : 'none');

/** What a project's environments on the cluster come to. */
async function hostedIn(project: JsonRecord, clusterId: string, read: Read): Promise<Hosted> {
  const all = wholeListIn(await attempt(read(operations.list_environments, { project_id: project['id'] })));
  if (!all) return 'unknown';
  const modes = all.filter((one) => textIn(one, 'cluster_id') === undefined || one['cluster_id'] === clusterId).map((one) => {
    const mode = asMode(one['mode']);
    return one['cluster_id'] === clusterId && mode === 'PRODUCTION' ? mode : mode === 'DEVELOPMENT' || mode === 'STAGING' ? 'none' : 'unknown';
  });
  return worst(modes);
}

/**
 * Whether a cluster hosts a PRODUCTION environment: whoever changes the cluster changes that too, whatever the cluster
 * says of itself. Reads the projects and their environments; what isn't found within a bounded number of requests and
 * time, or can't be read, is `unknown`.
 * @throws ApiError when the platform fails.
 */
export async function hostedOn(clusterId: string, read: Read, patience: Patience): Promise<Hosted> {
  const projects = wholeListIn(await listOfOrganization(operations.list_projects, read));
  if (!projects) return 'unknown';
  const near = projects.slice(0, mostProjects);
  const found: Hosted[] = near.length < projects.length ? ['unknown'] : [];
  for (let first = 0; first < near.length; first += atOnce) {
    if (patience.isOver()) return 'unknown';
    // Later ones are read only where the earlier ones showed none.
    // oxlint-disable-next-line no-await-in-loop
    found.push(...(await Promise.all(near.slice(first, first + atOnce).map((project) => hostedIn(project, clusterId, read)))));
    if (found.includes('PRODUCTION')) break;
  }
  return worst(found);
}
