import { unaskedText } from '../../../../contract/index.ts';
import type { DockerContext, NodeReach } from '../docker-context.ts';
import { type DockerClient, type DockerNode, isDockerError, listDockerNodes } from '../api/index.ts';

/** A node whose engine could not be queried. */
export interface UnaskedNode {
  readonly name: string;
  /** The reason, as a part of a sentence. */
  readonly why: string;
}

/**
 * The results from the engines of a swarm's nodes, and the nodes that could not be queried. Finding nothing says
 * nothing about the latter.
 */
export interface NodesSeen<Result> {
  readonly seen: readonly { readonly node: DockerNode; readonly result: Result }[];
  readonly unasked: readonly UnaskedNode[];
}

/** Returns why the engine of a node without a client can't be queried, as a part of a sentence. */
export const whyNotAsked = async (
  { whyNoAgent }: Pick<DockerContext, 'whyNoAgent'>,
  nodeId: string,
  signal: AbortSignal,
): Promise<string> => (await whyNoAgent(nodeId, signal)) ?? 'its agent has only just been started';

/**
 * Queries the engine of one node; an error of its agent is returned as the reason why it could not be queried.
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
    // If the only engine that the platform has an address for can't be queried, nothing is known about the cluster.
    if (signal.aborted || !isDockerError(error) || isOwn) throw error;
    return { why: error.reason };
  }
}

/** Nodes that could not be queried, as text such as: node-2 (it is down), node-3 (…). */
export const unaskedNodesText = (unasked: readonly UnaskedNode[]): string =>
  unaskedText(unasked.map(({ name: node, why }) => ({ node, why })));

/** Queries the engine of every reachable node, in parallel. @param work queries one of them */
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
