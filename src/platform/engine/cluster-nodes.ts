import type * as z from 'zod';
import { condition, type Condition, type Cluster } from '../../contract/index.ts';
import { mebibyte, reasonOf } from '../common/index.ts';
import type { ClusterNode } from '../runtime/index.ts';
import type { Db } from '../store/index.ts';
import { type EngineContext, iso } from './context.ts';
import { type NodeFigures, staleMilliseconds } from './measurements/figures.ts';

/** The machines of a cluster in responses. The nodes are absent if it has none, or if they can't be read. */
export type ClusterMachines = Pick<z.infer<typeof Cluster>, 'nodes' | 'warnings' | 'conditions'>;

/** The API's values for which instances a node accepts. */
const availabilities = { any: 'ACTIVE', 'its own': 'PAUSE', none: 'DRAIN' } as const;

const shown = ({
  id,
  name,
  isManager,
  takes,
  state,
  changedAt,
  address,
  labels,
  cpu,
  cpuAllotted,
  memory,
  memoryAllotted,
  instances,
}: ClusterNode): NonNullable<ClusterMachines['nodes']>[number] => ({
  id,
  name,
  role: isManager ? 'MANAGER' : 'WORKER',
  availability: availabilities[takes],
  state,
  state_since: iso(changedAt),
  ...(address !== undefined && { address }),
  ...(Object.keys(labels).length > 0 && { labels }),
  cpu,
  cpu_allotted: cpuAllotted,
  memory,
  memory_allotted: memoryAllotted,
  instances,
});

/**
 * The problem of a node on which instances don't run as they should; undefined for a healthy one.
 * @param waiting the names of the services that can't run elsewhere
 */
function nodeCondition({ name: node, state, takes, changedAt }: ClusterNode, waiting: string[]): Condition | undefined {
  if (state === 'DOWN') return condition('NODE_DOWN', { node, since: iso(changedAt), waiting });
  if (state !== 'READY') return condition('NODE_NOT_ANSWERING', { node, state });
  if (takes === 'none') return condition('NODE_DRAINED', { node, waiting });
  return takes === 'its own' ? condition('NODE_PAUSED', { node }) : undefined;
}

/** The conditions, as sentences and as data. */
const told = (conditions: Condition[]): Pick<ClusterMachines, 'warnings' | 'conditions'> =>
  conditions.length === 0 ? {} : { warnings: conditions.map(({ message }) => message), conditions };

const namesOf = async (db: Db, serviceIds: readonly string[]): Promise<ReadonlyMap<string, string>> =>
  new Map(
    serviceIds.length === 0
      ? []
      : (
          await db
            .selectFrom('service')
            .select(['id', 'name'])
            .where('id', 'in', [...serviceIds])
            .execute()
        ).map(({ id, name }) => [id, name]),
  );

/** The resources in use on the nodes of a cluster, by node id, if they were measured recently. */
async function usedOn(db: Db, clusterId: string, now: number) {
  const rows = await db
    .selectFrom('node_measurement')
    .select(['node_id', 'figures'])
    .where('cluster_id', '=', clusterId)
    .where('at_ms', '>', now - staleMilliseconds)
    .execute();
  return new Map(
    rows.map(({ node_id: id, figures }) => {
      const { cpu, memory } = JSON.parse(figures) as NodeFigures;
      return [
        id,
        {
          ...(cpu !== undefined && { cpu_used: Math.round(cpu) }),
          ...(memory !== undefined && { memory_used: Math.round(memory / mebibyte) }),
        },
      ];
    }),
  );
}

/** Queries the machines of a cluster, outside any transaction. @param cluster its id, and its runtime */
export async function clusterMachines(
  { db, clock, runtimes }: Pick<EngineContext, 'db' | 'clock' | 'runtimes'>,
  cluster: { readonly id: string; readonly runtime: string },
  signal: AbortSignal,
): Promise<ClusterMachines> {
  const { nodes: read } = runtimes.named(cluster.runtime);
  if (read === undefined) return {};
  try {
    const nodes = await read(signal);
    const names = await db.read((trx) =>
      namesOf(
        trx,
        nodes.flatMap(({ boundServiceIds }) => boundServiceIds),
      ),
    );
    const conditions = nodes.flatMap(
      (node) => nodeCondition(node, node.boundServiceIds.flatMap((id) => names.get(id) ?? []).toSorted()) ?? [],
    );
    const used = await usedOn(db, cluster.id, clock.now());
    return { nodes: nodes.map((node) => ({ ...shown(node), ...used.get(node.id) })), ...told(conditions) };
  } catch (error) {
    return told([condition('NODES_UNREADABLE', { said: reasonOf(error) })]);
  }
}
