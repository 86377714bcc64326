import { type DockerClient, dockerInfo, type DockerNode, listDockerNodes } from '../engine/index.ts';
import { answeringEngines } from '../nodes/node-engines.ts';
import { nodeName, restText } from '../nodes/node-facts.ts';

/** The engine by which agents are reached, or why none can be, as a part of a sentence. */
export type Gateway = { readonly engine: DockerClient } | { readonly obstacle: string };

const idleText = (node: DockerNode): string => `${nodeName(node)} is ${restText(node)}`;

/**
 * Chooses the engine by which agents are reached: the one that is asked, or another one that the platform has an address of. Containers join the network of the
 * agents only on an active node.
 */
export async function findGateway(docker: DockerClient, signal: AbortSignal): Promise<Gateway> {
  const asked = await docker.engine();
  const engines = docker.engines.length === 1 ? [asked] : [asked, ...(await answeringEngines(docker, signal)).filter((each) => each !== asked)];
  const nodes = await listDockerNodes(docker, {}, { signal });
  const idle: DockerNode[] = [];
  for (const engine of engines) {
    // oxlint-disable-next-line no-await-in-loop -- the first one that can is the one.
    const { Swarm: { NodeID: id } } = await dockerInfo(engine, { signal });
    const node = nodes.find(({ ID }) => ID === id);
    if (node?.Spec.Availability === 'active') return { engine };
    if (node) idle.push(node);
  }
  return { obstacle: `agents are reached from a node that takes instances and whose engine's address the platform has, and ${idle.map(idleText).join(', ') || 'none is known'}` };
}
