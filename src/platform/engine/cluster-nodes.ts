import type * as z from 'zod';
import type { Cluster } from '../../contract/index.ts';
import { mebibyte, reasonOf } from '../common/index.ts';
import type { ClusterNode } from '../runtime/index.ts';
import type { Db } from '../store/index.ts';
import { type EngineContext, iso } from './context.ts';
import { type NodeFigures, staleMilliseconds } from './measurements/figures.ts';

/** What answers tell of the machines of a cluster. The nodes are absent if it has none, or if they can't be read. */
export type ClusterMachines = Pick<z.infer<typeof Cluster>, 'nodes' | 'warnings'>;

const shown = ({ id, name, role, availability, state, changedAt, address, labels, cpu, cpuAllotted, memory, memoryAllotted, instances }: ClusterNode): NonNullable<ClusterMachines['nodes']>[number] =>
  ({ id, name, role, availability, state, state_since: iso(changedAt), ...(address !== undefined && { address }), ...(Object.keys(labels).length > 0 && { labels }), cpu, cpu_allotted: cpuAllotted, memory, memory_allotted: memoryAllotted, instances });

/** Words for a node that instances don't run on as they should; undefined for one that is all right. @param waiting the names of the services that can't run elsewhere */
function nodeWarning({ name, state, availability, changedAt }: ClusterNode, waiting: readonly string[]): string | undefined {
  const bound = waiting.length === 0 ? '' : ` What can run only there waits for it: ${waiting.join(', ')}.`;
  if (state === 'DOWN') return `The node ${name} has been down since ${iso(changedAt)} or earlier. Its instances are started on other nodes, as far as these have room.${bound}`;
  if (state !== 'READY') return `The node ${name} doesn't answer the others (${state.toLowerCase()}): what runs on it is not known.`;
  if (availability === 'DRAIN') return `The node ${name} is drained: its instances run on other nodes, as far as these have room.${bound}`;
  return availability === 'PAUSE' ? `The node ${name} is paused: it keeps its instances, and takes no new ones.` : undefined;
}

const namesOf = async (db: Db, serviceIds: readonly string[]): Promise<ReadonlyMap<string, string>> =>
  new Map(serviceIds.length === 0 ? [] : (await db.selectFrom('service').select(['id', 'name']).where('id', 'in', [...serviceIds]).execute()).map(({ id, name }) => [id, name]));

/** What is used of the nodes of a cluster, by their ids, as far as it was measured lately. */
async function usedOn(db: Db, clusterId: string, now: number) {
  const rows = await db.selectFrom('node_measurement').select(['node_id', 'figures']).where('cluster_id', '=', clusterId).where('at_ms', '>', now - staleMilliseconds).execute();
  return new Map(rows.map(({ node_id: id, figures }) => {
    const { cpu, memory } = JSON.parse(figures) as NodeFigures;
    return [id, { ...(cpu !== undefined && { cpu_used: Math.round(cpu) }), ...(memory !== undefined && { memory_used: Math.round(memory / mebibyte) }) }];
  }));
}

/** Asks for the machines of a cluster, outside of any transaction. @param cluster its id, and its runtime */
export async function clusterMachines({ db, clock, runtimes }: Pick<EngineContext, 'db' | 'clock' | 'runtimes'>, cluster: { readonly id: string; readonly runtime: string }, signal: AbortSignal): Promise<ClusterMachines> {
  const { nodes: read } = runtimes.named(cluster.runtime);
  if (read === undefined) return {};
  try {
    const nodes = await read(signal);
    const names = await db.read((trx) => namesOf(trx, nodes.flatMap(({ boundServiceIds }) => boundServiceIds)));
    const warnings = nodes.flatMap((node) => nodeWarning(node, node.boundServiceIds.flatMap((id) => names.get(id) ?? []).toSorted()) ?? []);
    const used = await usedOn(db, cluster.id, clock.now());
    return { nodes: nodes.map((node) => ({ ...shown(node), ...used.get(node.id) })), ...(warnings.length > 0 && { warnings }) };
  } catch (error) {
    return { warnings: [`Its nodes can't be read: ${reasonOf(error)}. What runs is not known.`] };
  }
}
