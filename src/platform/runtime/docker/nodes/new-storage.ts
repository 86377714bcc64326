import { createHash } from 'node:crypto';
import { condition } from '../../../../contract/index.ts';
import { TaskRefused } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import { dockerInfo, type DockerNode, listDockerTasks } from '../engine/index.ts';
import { labelledService } from '../labels.ts';
import { fits, misfitOf } from './fitting-nodes.ts';
import { type PlacementParts, placementOf } from './placement.ts';

/** What a node has to have for storage that is new. */
export interface NewStorage {
  readonly service: { readonly id: string };
  /** The only node that has the image; undefined if every node can have it. */
  readonly imageNode?: string | undefined;
  readonly placement: PlacementParts;
  /** What its instance reserves, in bytes. */
  readonly memory: number;
}

/** The memory of nodes that is reserved by now, in bytes, without what the service itself has. */
async function reservedMemory({ docker }: Pick<DockerContext, 'docker'>, serviceId: string, signal: AbortSignal): Promise<ReadonlyMap<string | undefined, number>> {
  const tasks = (await listDockerTasks(docker, { 'desired-state': ['running'] }, { signal })).filter(({ Spec }) => labelledService(Spec.ContainerSpec?.Labels) !== serviceId);
  const byNode = Map.groupBy(tasks, ({ NodeID: id }) => id);
  return new Map([...byNode].map(([id, there]) => [id, there.reduce((sum, { Spec }) => sum + (Spec.Resources?.Reservations?.MemoryBytes ?? 0), 0)]));
}

/** A number that differs from node to node, and is always the same for a service and a node: services spread over nodes, and one that failed comes back to its node. */
const shareOf = (serviceId: string, node: DockerNode): number => createHash('sha256').update(`${serviceId} ${node.ID}`).digest().readUInt32BE(0);

/**
 * The node that gets storage which is new: one that the placement rules fit and that has the kind of CPU of the engine that is asked; rather one that
 * takes instances, rather one with room, rather that of the engine itself.
 * @param nodes those of the swarm
 * @throws Error in words if none fits
 */
export async function chooseStorageNode(context: Pick<DockerContext, 'docker'>, { service, imageNode, placement, memory }: NewStorage, nodes: readonly DockerNode[], signal: AbortSignal): Promise<string> {
  if (imageNode !== undefined) return imageNode;
  const { Swarm: { NodeID: own }, Architecture: architecture } = await dockerInfo(context.docker, { signal });
  const asked = placementOf({ ...placement, boundTo: undefined });
  const able = nodes.filter((node) => fits(node, asked));
  if (able.length === 0) {
    const misfit = misfitOf(nodes, asked);
    throw new TaskRefused(misfit ? condition('NO_MATCHING_NODE', { ...misfit, ending: 'no storage yet' }) : condition('NO_NODE', {}));
  }
  // Probes and secret variables are programs for one kind.
  const alike = able.filter(({ ID, Description }) => ID === own || Description.Platform.Architecture === architecture);
  if (alike.length === 0) {
    const others = able.map(({ Description }) => `${Description.Hostname} (${Description.Platform.Architecture})`).toSorted();
    throw new TaskRefused(condition('CPU_MISMATCH', { architecture, nodes: others }));
  }
  const reserved = await reservedMemory(context, service.id, signal);
  // An engine that answers runs, whatever the swarm knows of it just after it was started.
  const takes = ({ ID, Spec, Status }: DockerNode): boolean => Spec.Availability === 'active' && (ID === own || Status.State === 'ready');
  const hasRoom = ({ ID, Description }: DockerNode): boolean => Description.Resources.MemoryBytes - (reserved.get(ID) ?? 0) >= memory;
  const rank = (node: DockerNode): number => (takes(node) ? 4 : 0) + (hasRoom(node) ? 2 : 0) + (node.ID === own ? 1 : 0);
  const [best] = alike.toSorted((one, other) => rank(other) - rank(one) || shareOf(service.id, other) - shareOf(service.id, one));
  return best!.ID;
}
