import { unaskedText } from '../../../../contract/index.ts';
import type { DockerContext, NodeReach } from '../docker-context.ts';
import { type DockerClient, type DockerNode, isDockerError, listDockerNodes } from '../api/index.ts';

/** A node whose engine could not be asked. */
export interface UnaskedNode {
  readonly name: string;
  /** As a part of a sentence. */
  readonly why: string;
}

/**
 * What the engines of a swarm's nodes were asked, and which could not be. That nothing was found says nothing of those.
 */
export interface NodesSeen<Result> {
  readonly seen: readonly { readonly node: DockerNode; readonly result: Result }[];
  readonly unasked: readonly UnaskedNode[];
}

/** Why the engine of a node can't be asked of which there is no client, as a part of a sentence. */
export const whyNotAsked = async (
  { whyNoAgent }: Pick<DockerContext, 'whyNoAgent'>,
  nodeId: string,
  signal: AbortSignal,
): Promise<string> => (await whyNoAgent(nodeId, signal)) ?? 'its agent has only just been started';

/**
 * Asks the engine of one node; what an agent throws is why it could not be asked.
 * @throws DockerError of the engine that the platform is connected to
 */
async function askNode<Result>(
  parts: NodeReach,
  node: DockerNode,
  work: (engine: DockerClient, node: DockerNode) => Promise<Result>,
  signal: AbortSignal,
): Promise<{ readonly result: Result } | { readonly why: string }> {
  const { docker, nodeEngines } = parts;
  let isOwn = false;
  try {
    const engine = await nodeEngines.of(node.ID, signal);
    isOwn = engine === docker;
    if (engine !== undefined) return { result: await work(engine, node) };
    if (node.Status.State !== 'ready') return { why: `it is ${node.Status.State}` };
    return { why: await whyNotAsked(parts, node.ID, signal) };
  } catch (error) {
    // If the only engine that the platform has an address of can't be asked, nothing is known of the cluster.
    if (signal.aborted || !isDockerError(error) || isOwn) throw error;
    return { why: error.reason };
  }
}

/** Nodes that could not be asked in words, such as: node-2 (it is down), node-3 (…). */
export const unaskedNodesText = (unasked: readonly UnaskedNode[]): string =>
  unaskedText(unasked.map(({ name: node, why }) => ({ node, why })));

/** Asks the engine of every node that can be asked, at once. @param work asks one of them */
export async function onEveryNode<Result>(
  parts: NodeReach,
  work: (engine: DockerClient, node: DockerNode) => Promise<Result>,
  signal: AbortSignal,
): Promise<NodesSeen<Result>> {
  const nodes = await listDockerNodes(parts.docker, {}, { signal });
  const asked = await Promise.all(nodes.map(async (node) => ({ node, ...(await askNode(parts, node, work, signal)) })));
  return {
    seen: asked.flatMap((each) => ('result' in each ? [{ node: each.node, result: each.result }] : [])),
    unasked: asked
      .flatMap((each) => ('why' in each ? [{ name: each.node.Description.Hostname, why: each.why }] : []))
      .toSorted((one, other) => one.name.localeCompare(other.name)),
  };
}
