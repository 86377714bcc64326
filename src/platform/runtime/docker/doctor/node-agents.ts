import { dockerInfo } from '../api/index.ts';
import { onEveryNode, unaskedNodesText } from '../nodes/every-node.ts';
import { type DoctorFinding, findingBuilder } from '../../../common/index.ts';
import type { ExaminedEngine } from './examined-engine.ts';

const agents = findingBuilder('agents');

/** The time limit for querying all nodes, in milliseconds. */
const timeoutMilliseconds = 60_000;

/** The facts about a node that are unknown without an agent. */
const notSeen =
  'whether instances exceeded their memory, what their health checks say, what they use, and what volumes and images are there';

/** The ports that have to be open between the machines of a swarm. */
export const swarmPorts = '2377/tcp of the managers, and 7946/tcp, 7946/udp and 4789/udp of all';

/** Checks which nodes of a swarm with several can be reached. @param count how many nodes there are */
export async function agentsFindings({ nodes, agent, guide }: ExaminedEngine, count: number): Promise<DoctorFinding[]> {
  if (count < 2) return [];
  const { seen, unasked } = await onEveryNode(
    nodes,
    (engine, { ID: id }) => dockerInfo(engine).then(({ Swarm }) => Swarm.NodeID === id),
    AbortSignal.timeout(timeoutMilliseconds),
  );
  if (unasked.length === 0) return [agents.good(`the engines of all ${seen.length} nodes can be asked`)];
  return [
    agents.note(
      `${unasked.length} of ${count} nodes can't be asked: ${unaskedNodesText(unasked)}. Not seen of them: ${notSeen}`,
      agent !== undefined
        ? `Start what is down, see that each node can have the image of the agent, and open these ports between the machines: ${swarmPorts}. An agent that has just been started is reached within a minute: check again then.`
        : `Give the cluster agents, with "agent: {}" in the clusters file, or list the addresses of their engines there under "engine". An agent is root on its node: read ${guide} first.`,
    ),
  ];
}
