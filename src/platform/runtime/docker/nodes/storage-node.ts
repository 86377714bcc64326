import { condition, type Condition } from '../../../../contract/index.ts';
import { type ServiceToRun, TaskRefused } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import { dockerInfo, listDockerNodes, listDockerVolumes } from '../engine/index.ts';
import { labelFilter, serviceLabels } from '../labels.ts';
import { type NodesSeen, onEveryNode, type UnseenNode } from './every-node.ts';
import type { NodeEngines } from './node-engines.ts';
import { chooseStorageNode, type NewStorage } from './new-storage.ts';

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
function storageLost({ service, recorded }: StorageNeeds, platformId: string, asked: string[], unseen: readonly UnseenNode[]): Condition {
  const { nodeId, volumes } = recorded!;
  return condition('STORAGE_NOT_FOUND', {
    node: nodeId, service: service.name, volumes: [...volumes], labels: [...(labelFilter(serviceLabels(platformId, service)).label ?? [])], asked,
    unasked: unseen.map(({ name: node, why }) => ({ node, why })),
  });
}

/** The names of the volumes that a service has on each node that can be asked. */
export async function volumesOnNodes(context: DockerContext, service: StorageNeeds['service'], signal: AbortSignal): Promise<NodesSeen<readonly string[]>> {
  const { docker, nodeEngines, platformId, whyNoAgent } = context;
  const engine = await docker.engine();
  const { Swarm: { NodeID: own } } = await dockerInfo(engine, { signal });
  // Which node an engine is may be remembered from a swarm that was made anew just now.
  const engines: NodeEngines = { of: async (id, until) => (id === own ? engine : nodeEngines.of(id, until)) };
  const labels = labelFilter(serviceLabels(platformId, service));
  return onEveryNode({ docker, whyNoAgent, nodeEngines: engines }, async (each) => (await listDockerVolumes(each, labels, { signal })).map(({ Name }) => Name), signal);
}

/**
 * The node to which a service with storage is bound: the recorded one while it is part of the swarm; otherwise the one that has its volumes,
 * such as the same machine in a swarm that was made anew; for storage that is new, a node that fits.
 * @throws Error in words if no node fits, or if what was stored is not found on any node that could be asked
 */
export async function storageNode(context: DockerContext, needs: StorageNeeds, signal: AbortSignal): Promise<string> {
  const { service, recorded, volumes } = needs;
  const nodes = await listDockerNodes(context.docker, {}, { signal });
  if (recorded?.nodeId !== undefined && nodes.some(({ ID }) => ID === recorded.nodeId)) return recorded.nodeId;
  const { seen, unseen } = await volumesOnNodes(context, service, signal);
  const holders = seen.filter(({ result }) => (recorded ? recorded.volumes.every((each) => result.includes(each)) : volumes.some((each) => result.includes(each))));
  const [holder, ...others] = holders.map(({ node }) => node);
  if (others.length > 0) {
    const names = holders.map(({ node }) => node.Description.Hostname).toSorted();
    throw new TaskRefused(condition('STORAGE_AMBIGUOUS', { service: service.name, nodes: names, volumes: [...(recorded?.volumes ?? volumes)] }));
  }
  if (holder !== undefined) return holder.ID;
  if (recorded !== undefined) throw new TaskRefused(storageLost(needs, context.platformId, seen.map(({ node }) => node.Description.Hostname).toSorted(), unseen));
  return chooseStorageNode(context, needs, nodes, signal);
}
