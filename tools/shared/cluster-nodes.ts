import { operations } from '../../src/contract/index.ts';
import { nodesText, unusableText, whyUnusable } from '../../src/analysis/index.ts';
import {
  readUses,
  rowsIn,
  textOf,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { environmentAt } from './environment-lock.ts';
import { clusterWatched, watchedAlerts } from './firing-alerts.ts';
import { ifPossible, unlessMissing } from './if-possible.ts';

/** The reads for the machines of clusters. */
export const readsOfNodes: readonly ReadUse[] = readUses(
  'the machines of clusters are not shown',
  operations.get_organization,
  operations.list_clusters,
  operations.list_environments,
  operations.get_environment,
);

/**
 * The clusters of the organization; empty if they can't be listed. A platform failure doesn't affect the rest of the
 * answer.
 */
export async function clustersOf(context: ToolContext): Promise<readonly JsonRecord[]> {
  // No change of a call makes it another organization.
  const organization = await context.before(operations.get_organization, {});
  const organization_id = organization?.id;
  return organization_id
    ? rowsIn(
        await ifPossible(context, 'How clusters and their machines are', () =>
          unlessMissing(context, operations.list_clusters, { organization_id }),
        ),
      )
    : [];
}

/** The cluster of an environment among these. The environment is only read if there are others. */
async function clusterIdOf(
  context: ToolContext,
  all: readonly JsonRecord[],
  environmentId: string,
  projectId: string | undefined,
): Promise<string | undefined> {
  return all.length === 1
    ? textOf(all[0], 'id')
    : textOf(await environmentAt(context, environmentId, projectId), 'cluster_id');
}

/**
 * The machines of an environment's cluster; undefined if there is nothing to report. The environment's cluster is only
 * read if there are several.
 */
export async function nodesUnder(
  context: ToolContext,
  environmentId: string,
  projectId: string | undefined,
): Promise<string | undefined> {
  const all = await clustersOf(context);
  if (all.every((row) => nodesText(row) === undefined)) return undefined;
  const cluster = await clusterIdOf(context, all, environmentId, projectId);
  const own = all.find((row) => textOf(row, 'id') === cluster);
  return own && nodesText(own);
}

/** What an overview of an environment tells of its cluster. */
interface HostFacts {
  /** Its machines, if there is something to report. */
  readonly nodes?: string;
  /** Why nothing can run on it, as a sentence. */
  readonly unusable?: string;
  readonly name?: string;
  /** The alert rules about it that fire. */
  readonly alerts: readonly JsonRecord[];
}

/** Whether there is something to tell of a cluster. */
const hasNews = (row: JsonRecord): boolean => nodesText(row) !== undefined || whyUnusable(row) !== undefined;

/**
 * What there is to tell of an environment's cluster. Where no cluster has trouble, the environment isn't read. If it
 * can't be read, the answer says what is not known.
 */
export async function hostOf(
  context: ToolContext,
  environmentId: string,
  projectId: string | undefined,
): Promise<HostFacts> {
  const [all, { firing }] = await Promise.all([clustersOf(context), watchedAlerts(context)]);
  const alerts = firing.filter((rule) => clusterWatched(rule) !== undefined);
  if (alerts.length === 0 && !all.some(hasNews)) return { alerts: [] };
  const cluster = await clusterIdOf(context, all, environmentId, projectId);
  if (cluster === undefined) {
    context.leftOut('Which cluster it is on could not be read, and so not what is wrong with that one.');
    return { alerts: [] };
  }
  const own = all.find((row) => textOf(row, 'id') === cluster);
  return {
    nodes: own && nodesText(own),
    unusable: own && unusableText(own),
    name: textOf(own, 'name') ?? cluster,
    alerts: alerts.filter((rule) => clusterWatched(rule) === cluster),
  };
}
