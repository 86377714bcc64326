import { operations } from '../../src/contract/index.ts';
import { nodesText } from '../../src/analysis/index.ts';
import {
  readUses,
  rowsIn,
  textOf,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { environmentAt } from './environment-lock.ts';
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
  const cluster =
    all.length === 1
      ? textOf(all[0], 'id')
      : textOf(await environmentAt(context, environmentId, projectId), 'cluster_id');
  const own = all.find((row) => textOf(row, 'id') === cluster);
  return own && nodesText(own);
}
