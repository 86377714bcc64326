import { type ServiceToRun, TaskRefused } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import { dockerInfo, listDockerNodes, listDockerVolumes } from '../engine/index.ts';
import { labelFilter, serviceLabels } from '../labels.ts';
import { type NodesSeen, onEveryNode, type UnseenNode, unseenText } from './every-node.ts';
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
function lostText({ service, recorded }: StorageNeeds, platformId: string, asked: readonly string[], unseen: readonly UnseenNode[]): string {
  const { nodeId, volumes } = recorded!;
  const labels = (labelFilter(serviceLabels(platformId, service)).label ?? []).map((each) => `--label ${each}`).join(' ');
  const was = nodeId === undefined ? `The node with the storage of ${service.name} is not known in this swarm` : `The storage of ${service.name} was on the node ${nodeId}, which is not part of the swarm any more`;
  const looked = asked.length === 0 ? 'no node could be asked whether it has it' : `${volumes.join(', ')} is not on ${asked.join(', ')}`;
  return [
    `${was}, and ${looked}. Nothing was changed: it would begin empty.`,
    ...(unseen.length > 0 ? [`Not asked: ${unseenText(unseen)}. If one of them has it, give the nodes agents, or list the address of its engine, in the clusters file.`] : []),
    'If another machine has it, let that join the swarm, and deploy again.',
    `If what was stored is lost, bring it back from a backup, or begin empty with this on one node: ${volumes.map((name) => `docker volume create ${labels} ${name}`).join(' && ')}`,
  ].join(' ');
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
    throw new TaskRefused(`Several nodes have storage of ${service.name} (${holders.map(({ node }) => node.Description.Hostname).toSorted().join(', ')}), and which of it counts is not known. `
      + `Nothing was changed. Remove what isn't needed on its node: docker volume rm ${(recorded?.volumes ?? volumes).join(' ')}`);
  }
  if (holder !== undefined) return holder.ID;
  if (recorded !== undefined) throw new TaskRefused(lostText(needs, context.platformId, seen.map(({ node }) => node.Description.Hostname).toSorted(), unseen));
  return chooseStorageNode(context, needs, nodes, signal);
}
