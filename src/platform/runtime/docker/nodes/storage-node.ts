import { createHash } from 'node:crypto';
import { condition, type Condition } from '../../../../contract/index.ts';
import { type ServiceToRun, TaskRefused } from '../../index.ts';
import type { DockerContext, OwnObjects, NodeReach } from '../docker-context.ts';
import { dockerInfo, listDockerNodes, listDockerVolumes, type DockerNode, listDockerTasks } from '../api/index.ts';
import { labelFilter, serviceLabels, labelledService } from '../labels.ts';
import { type NodesSeen, onEveryNode, type UnaskedNode } from './every-node.ts';
import type { NodeEngines } from './node-engines.ts';
import { fits, misfitOf } from './fitting-nodes.ts';
import { type PlacementParts, placementOf } from './placement.ts';

/** What a node has to have for storage that is new. */
interface NewStorage {
  readonly service: { readonly id: string };
  /** The only node that has the image; undefined if every node can have it. */
  readonly imageNode?: string | undefined;
  readonly placement: PlacementParts;
  /** What its instance reserves, in bytes. */
  readonly memory: number;
}

/** The memory of nodes that is reserved by now, in bytes, without what the service itself has. */
async function reservedMemory(
  { docker }: Pick<DockerContext, 'docker'>,
  serviceId: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string | undefined, number>> {
  const tasks = (await listDockerTasks(docker, { 'desired-state': ['running'] }, { signal })).filter(
    ({ Spec }) => labelledService(Spec.ContainerSpec?.Labels) !== serviceId,
  );
  const byNode = Map.groupBy(tasks, ({ NodeID: id }) => id);
  return new Map(
    [...byNode].map(([id, there]) => [
      id,
      there.reduce((sum, { Spec }) => sum + (Spec.Resources?.Reservations?.MemoryBytes ?? 0), 0),
    ]),
  );
}

/**
 * A number that differs from node to node, and is always the same for a service and a node: services spread over nodes,
 * and one that failed comes back to its node.
 */
const shareOf = (serviceId: string, node: DockerNode): number =>
  createHash('sha256').update(`${serviceId} ${node.ID}`).digest().readUInt32BE(0);

/**
 * The node that gets storage which is new: one that the placement rules fit and that has the kind of CPU of the engine
 * that is asked; rather one that takes instances, rather one with room, rather that of the engine itself.
 * @param nodes those of the swarm
 * @throws Error in words if none fits
 */
async function chooseStorageNode(
  context: Pick<DockerContext, 'docker'>,
  { service, imageNode, placement, memory }: NewStorage,
  nodes: readonly DockerNode[],
  signal: AbortSignal,
): Promise<string> {
  if (imageNode !== undefined) return imageNode;
  const {
    Swarm: { NodeID: own },
    Architecture: architecture,
  } = await dockerInfo(context.docker, { signal });
  const asked = placementOf({ ...placement, boundTo: undefined });
  const able = nodes.filter((node) => fits(node, asked));
  if (able.length === 0) {
    const misfit = misfitOf(nodes, asked);
    throw new TaskRefused(
      misfit ? condition('NO_MATCHING_NODE', { ...misfit, ending: 'no storage yet' }) : condition('NO_NODE', {}),
    );
  }
  // Probes and secret variables are programs for one kind.
  const alike = able.filter(({ ID, Description }) => ID === own || Description.Platform.Architecture === architecture);
  if (alike.length === 0) {
    const others = able
      .map(({ Description }) => `${Description.Hostname} (${Description.Platform.Architecture})`)
      .toSorted();
    throw new TaskRefused(condition('CPU_MISMATCH', { architecture, nodes: others }));
  }
  const reserved = await reservedMemory(context, service.id, signal);
  // An engine that answers runs, whatever the swarm knows of it just after it was started.
  const takes = ({ ID, Spec, Status }: DockerNode): boolean =>
    Spec.Availability === 'active' && (ID === own || Status.State === 'ready');
  const hasRoom = ({ ID, Description }: DockerNode): boolean =>
    Description.Resources.MemoryBytes - (reserved.get(ID) ?? 0) >= memory;
  const rank = (node: DockerNode): number =>
    (takes(node) ? 4 : 0) + (hasRoom(node) ? 2 : 0) + (node.ID === own ? 1 : 0);
  const [best] = alike.toSorted(
    (one, other) => rank(other) - rank(one) || shareOf(service.id, other) - shareOf(service.id, one),
  );
  return best!.ID;
}

/** Volumes that a service is known to have had, and the node that had them. */
export interface RecordedStorage {
  /** Undefined where nothing tells it any more, such as for Terraform in a swarm that was made anew. */
  readonly nodeId: string | undefined;
  readonly volumes: readonly string[];
}

/** What decides on which node the storage of a service is. */
export interface StorageNeeds extends NewStorage {
  readonly service: Pick<ServiceToRun, 'id' | 'name' | 'environmentId'>;
  /** The names of its volumes. */
  readonly volumes: readonly string[];
  /** Absent for storage that is new. */
  readonly recorded?: RecordedStorage | undefined;
}

/** Why storage that a service had can't be used: an empty volume would stand in its place. */
function storageLost(
  { service, recorded }: StorageNeeds,
  platformId: string,
  asked: string[],
  unasked: readonly UnaskedNode[],
): Condition {
  const { nodeId, volumes } = recorded!;
  const labels = (labelFilter(serviceLabels(platformId, service)).label ?? []).map((each) => `--label ${each}`);
  return condition('STORAGE_NOT_FOUND', {
    node: nodeId,
    service: service.name,
    volumes: [...volumes],
    asked,
    unasked: unasked.map(({ name: node, why }) => ({ node, why })),
    command: volumes.map((name) => ['docker volume create', ...labels, name].join(' ')).join(' && '),
  });
}

/** The names of the volumes that a service has on each node that can be asked. */
export async function volumesOnNodes(
  context: OwnObjects & NodeReach,
  service: StorageNeeds['service'],
  signal: AbortSignal,
): Promise<NodesSeen<readonly string[]>> {
  const { docker, nodeEngines, platformId, whyNoAgent } = context;
  const engine = await docker.engine();
  const {
    Swarm: { NodeID: own },
  } = await dockerInfo(engine, { signal });
  // Which node an engine is may be remembered from a swarm that was made anew just now.
  const engines: NodeEngines = { of: async (id, until) => (id === own ? engine : nodeEngines.of(id, until)) };
  const labels = labelFilter(serviceLabels(platformId, service));
  return onEveryNode(
    { docker, whyNoAgent, nodeEngines: engines },
    async (each) => (await listDockerVolumes(each, labels, { signal })).map(({ Name }) => Name),
    signal,
  );
}

/**
 * The node to which a service with storage is bound: the recorded one while it is part of the swarm; otherwise the one
 * that has its volumes, such as the same machine in a swarm that was made anew; for storage that is new, a node that
 * fits.
 * @throws Error in words if no node fits, or if what was stored is not found on any node that could be asked
 */
export async function storageNode(
  context: OwnObjects & NodeReach,
  needs: StorageNeeds,
  signal: AbortSignal,
): Promise<string> {
  const { service, recorded, volumes } = needs;
  const nodes = await listDockerNodes(context.docker, {}, { signal });
  if (recorded?.nodeId !== undefined && nodes.some(({ ID }) => ID === recorded.nodeId)) return recorded.nodeId;
  const { seen, unasked } = await volumesOnNodes(context, service, signal);
  const holders = seen.filter(({ result }) =>
    recorded ? recorded.volumes.every((each) => result.includes(each)) : volumes.some((each) => result.includes(each)),
  );
  const [holder, ...others] = holders.map(({ node }) => node);
  if (others.length > 0) {
    const names = holders.map(({ node }) => node.Description.Hostname).toSorted();
    throw new TaskRefused(
      condition('STORAGE_AMBIGUOUS', {
        service: service.name,
        nodes: names,
        volumes: [...(recorded?.volumes ?? volumes)],
        command: ['docker volume rm', ...(recorded?.volumes ?? volumes)].join(' '),
      }),
    );
  }
  if (holder !== undefined) return holder.ID;
  if (recorded !== undefined)
    throw new TaskRefused(
      storageLost(needs, context.platformId, seen.map(({ node }) => node.Description.Hostname).toSorted(), unasked),
    );
  return chooseStorageNode(context, needs, nodes, signal);
}
