import { operations } from '../../src/contract/index.ts';
import { nodesText } from '../../src/analysis/index.ts';
import { readUses, rowsIn, textOf, type ReadUse, type ToolContext } from '../../src/server/tool/index.ts';
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

/** A cluster whose machines are worth mentioning. */
interface ToldCluster {
  readonly id?: string;
  readonly text: string;
}

/**
 * The clusters whose machines are worth mentioning, and the number of all clusters. A platform failure doesn't affect
 * the rest of the answer.
 */
async function toldClusters(
  context: ToolContext,
): Promise<{ readonly all: number; readonly told: readonly ToldCluster[] }> {
  const organization = await context.attempt(operations.get_organization, {});
  const organization_id = organization?.id;
  const rows = organization_id
    ? rowsIn(
        await ifPossible(context, 'How the machines of clusters are', () =>
          unlessMissing(context, operations.list_clusters, { organization_id }),
        ),
      )
    : [];
  const told = rows.flatMap((row) => {
    const text = nodesText(row);
    return text === undefined ? [] : [{ id: textOf(row, 'id'), text }];
  });
  return { all: rows.length, told };
}

/**
 * The machines of the clusters that host environments, a line for each cluster with something to report.
 * @param clusters ids; undefined for all
 */
export async function nodesOfClusters(
  context: ToolContext,
  clusters: readonly string[] | undefined,
): Promise<readonly string[]> {
  return (await toldClusters(context)).told
    .filter(({ id }) => clusters === undefined || (id !== undefined && clusters.includes(id)))
    .map(({ text }) => text);
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
  const { all, told } = await toldClusters(context);
  if (told.length === 0) return undefined;
  const cluster =
    all === 1 ? told[0]!.id : textOf(await environmentAt(context, environmentId, projectId), 'cluster_id');
  return told.find(({ id }) => id === cluster)?.text;
}
