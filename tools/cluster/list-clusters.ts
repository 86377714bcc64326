import { operations, type InputOf } from '../../src/contract/index.ts';
import { defineTool, isRecord, lockEnd, lockReads, organizationOf, pruneRecord, readClusterLocks, rowsIn, table, textOf, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';

/** A lock beside the cluster that it is on: who locked it, why and until when. */
function lockColumns(lock: JsonRecord): JsonRecord {
  const end = lockEnd(lock);
  return pruneRecord({ locked_by: lock['owner_name'], lock_reason: lock['reason'], locked_until: Number.isFinite(end) ? new Date(end).toISOString() : undefined });
}

const isNotLocked = ({ is_locked: locked }: JsonRecord): boolean => locked === false;

/** The clusters with their locks, which are read unless every cluster is said to have none. */
async function withLocks(organizationId: unknown, context: ToolContext, answer: JsonRecord): Promise<JsonRecord> {
  const rows = rowsIn(answer);
  if (rows.every(isNotLocked)) return answer;
  const organization = typeof organizationId === 'string' ? organizationId : await organizationOf(context);
  const ids = rows.flatMap((row) => (isNotLocked(row) ? [] : (textOf(row, 'id') ?? [])));
  const locks = organization === undefined ? new Map<string, JsonRecord | null>() : await readClusterLocks(organization, ids, context);
  return {
    ...answer,
    results: rows.map((row) => {
      const lock = locks.get(String(row['id']));
      return isRecord(lock) ? { ...row, is_locked: true, ...lockColumns(lock) } : lock === null ? { ...row, is_locked: false } : row;
    }),
  };
}

export const listClusters = defineTool(operations.list_clusters, {
  toolset: 'clusters',
  title: 'Which clusters there are',
  description: 'Which clusters are there? With Kubernetes version, state, region, and which are locked: by whom, why and until when.',
  reads: lockReads('it is not shown who locked a cluster, why and until when'),
  answer: async (args, context) => withLocks(args['organization_id'], context, await context.read(operations.list_clusters, args as InputOf<typeof operations.list_clusters>)),
  render: table('cluster', ['name', 'id', 'status', 'is_locked', 'locked_by', 'lock_reason', 'locked_until', 'version', 'region', 'cloud_provider', 'production', 'is_default', 'description']),
});
