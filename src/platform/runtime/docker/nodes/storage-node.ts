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

/** The requirements of new storage for its node. */
interface NewStorage {
  readonly service: { readonly id: string };
  /** The only node that has the image; undefined if every node can have it. */
  readonly imageNode?: string | undefined;
  readonly placement: PlacementParts;
  /** The memory that its instance reserves, in bytes. */
  readonly memory: number;
}

/** Returns the reserved memory of each node, in bytes, without the service's own reservations. */
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
 * A number that differs from node to node and is constant for a service and a node: services spread over nodes, and one
 * whose deployment failed gets the same node again.
 */
const shareOf = (serviceId: string, node: DockerNode): number =>
  createHash('sha256').update(`${serviceId} ${node.ID}`).digest().readUInt32BE(0);

/**
 * Returns the node for new storage: one that fits the placement rules and has the CPU architecture of the queried
 * engine; preferably one that accepts instances, then one with room, then that of the engine itself.
 * @param nodes those of the swarm
 * @throws Error with a message if none fits
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
  // Probes and secret variables are programs for one architecture.
  const alike = able.filter(({ ID, Description }) => ID === own || Description.Platform.Architecture === architecture);
  if (alike.length === 0) {
    const others = able
      .map(({ Description }) => `${Description.Hostname} (${Description.Platform.Architecture})`)
      .toSorted();
    throw new TaskRefused(condition('CPU_MISMATCH', { architecture, nodes: others }));
  }
  const reserved = await reservedMemory(context, service.id, signal);
  // An engine that responds is running, whatever the swarm knows about it just after it was started.
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

/** Volumes that a service is recorded to have had, and the node that had them. */
export interface RecordedStorage {
  /** Undefined if it can't be known any more, such as for Terraform in a swarm that was created again. */
  readonly nodeId: string | undefined;
  readonly volumes: readonly string[];
}

/** The facts that decide on which node the storage of a service is. */
export interface StorageNeeds extends NewStorage {
  readonly service: Pick<ServiceToRun, 'id' | 'name' | 'environmentId'>;
  /** The names of its volumes. */
  readonly volumes: readonly string[];
  /** Absent for new storage. */
  readonly recorded?: RecordedStorage | undefined;
}

/** The condition that a service's existing storage can't be used: an empty volume would replace it. */
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

/** Returns the names of the service's volumes on each node that can be queried. */
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
  // The cached node of an engine may be from before the swarm was created again.
  const engines: NodeEngines = { of: async (id, until) => (id === own ? engine : nodeEngines.of(id, until)) };
  const labels = labelFilter(serviceLabels(platformId, service));
  return onEveryNode(
    { docker, whyNoAgent, nodeEngines: engines },
    async (each) => (await listDockerVolumes(each, labels, { signal })).map(({ Name }) => Name),
    signal,
  );
}

/**
 * Returns the node that a service with storage is bound to: the recorded one while it is part of the swarm; otherwise
 * the one that has its volumes, such as the same machine in a swarm that was created again; for new storage, a node
 * that fits.
 * @throws Error with a message if no node fits, or if existing storage is not found on any node that could be queried
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
