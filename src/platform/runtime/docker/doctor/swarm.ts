import { type DockerInfo, type DockerNode, listDockerNodes, dockerInfo } from '../api/index.ts';
import { nodeName, takesInstances } from '../nodes/node-facts.ts';
import { type DoctorFinding, findingBuilder } from '../../../common/index.ts';
import { managersFindings, proxyNodesFindings } from './addresses.ts';
import { limitsFindings } from './limits.ts';
import { nodesFindings } from './nodes.ts';
import { buildRegistryFinding } from './registries.ts';
import { dockerCommand, type ExaminedEngine } from './examined-engine.ts';
import { registryOnNodesFindings } from './registry-on-nodes.ts';
import { onEveryNode, unaskedNodesText } from '../nodes/every-node.ts';

const agents = findingBuilder('agents');

/** The time limit for querying all nodes, in milliseconds. */
const timeoutMilliseconds = 60_000;

/** The facts about a node that are unknown without an agent. */
const notSeen =
  'whether instances exceeded their memory, what their health checks say, what they use, and what volumes and images are there';

/** The ports that have to be open between the machines of a swarm. */
const swarmPorts = '2377/tcp of the managers, and 7946/tcp, 7946/udp and 4789/udp of all';

/** Checks which nodes of a swarm with several can be reached. @param count how many nodes there are */
async function agentsFindings({ nodes, agent, guide }: ExaminedEngine, count: number): Promise<DoctorFinding[]> {
  if (count < 2) return [];
  const { seen, unasked } = await onEveryNode(
    nodes,
    (engine, { ID: id }) => dockerInfo(engine).then(({ Swarm }) => Swarm.NodeID === id),
    AbortSignal.timeout(timeoutMilliseconds),
  );
  if (unasked.length === 0) return [agents.good(`the engines of all ${seen.length} nodes can be asked`)];
  return [
    agents.note(
      `${unasked.length} of ${count} nodes can't be asked: ${unaskedNodesText(unasked)}. Unknown about them: ${notSeen}`,
      agent !== undefined
        ? `Start what is down, make sure that each node can have the image of the agent, and open these ports between the machines: ${swarmPorts}. An agent that has just been started is reached within a minute: check again then.`
        : `Give the cluster agents, with "agent: {}" in the clusters file, or list the addresses of their engines there under "engine". An agent is root on its node: read ${guide} first.`,
    ),
  ];
}

const swarm = findingBuilder('swarm');
const nodes = findingBuilder('nodes');

/** The finding about an engine whose swarm mode isn't active. */
const inactive = (
  examined: ExaminedEngine,
  { Swarm: { LocalNodeState: state, Error: error } }: DockerInfo,
): DoctorFinding => {
  const docker = dockerCommand(examined);
  if (state === 'inactive') {
    return swarm.bad(
      'swarm mode is off',
      `Switch it on: ${docker} swarm init --advertise-addr <address>, with an address of its machine that stays the same and by which others would reach it. With 127.0.0.1 no other machine can join later`,
    );
  }
  if (state === 'locked') return swarm.bad('the swarm is locked', `Unlock it: ${docker} swarm unlock`);
  if (state === 'pending') return swarm.bad('the engine is still joining a swarm', 'Check again in a minute.');
  return swarm.bad(
    `swarm mode does not work: ${error || 'the engine gives no reason'}`,
    'Check the log of the engine.',
  );
};

/** The advice for machines that take no services. */
const nodesAdvice = (away: readonly DockerNode[], docker: string): string => {
  const [silent, resting] = [
    away.filter(({ Status }) => Status.State !== 'ready'),
    away.filter(({ Status }) => Status.State === 'ready'),
  ];
  return [
    ...(silent.length > 0
      ? [
          `Start the engines of ${silent.map(nodeName).join(', ')}, and open these ports between the machines: ${swarmPorts}. To remove a machine that is gone for good: ${docker} node rm --force ${nodeName(silent[0]!)}.`,
        ]
      : []),
    ...(resting.length > 0
      ? [
          `When ${resting.map(nodeName).join(', ')} may run services again: ${docker} node update --availability active ${nodeName(resting[0]!)}.`,
        ]
      : []),
  ].join(' ');
};

const nodesFinding = (examined: ExaminedEngine, all: readonly DockerNode[]): DoctorFinding => {
  const away = all.filter((node) => !takesInstances(node));
  if (away.length === 0) return nodes.good(all.length === 1 ? 'one machine' : `${all.length} machines, all ready`);
  const told = away.map((node) => `${nodeName(node)} (${node.Status.State}, ${node.Spec.Availability})`);
  return nodes.note(
    `${away.length} of ${all.length} take no services: ${told.join(', ')}`,
    nodesAdvice(away, dockerCommand(examined)),
  );
};

/**
 * Checks that all machines have the same CPU architecture. The programs in containers, such as the one for probes, are
 * for the architecture of the examined engine.
 */
function processorsFinding(all: readonly DockerNode[]): DoctorFinding[] {
  const kinds = [
    ...Map.groupBy(
      all,
      ({
        Description: {
          Platform: { Architecture: kind },
        },
      }) => kind,
    ),
  ];
  if (kinds.length < 2) return [];
  return [
    nodes.bad(
      `they have different kinds of CPU: ${kinds.map(([kind, machines]) => `${kind} (${machines.map(nodeName).join(', ')})`).join(', ')}; probes and secret variables work on one kind only`,
      'Drain the machines of the other kinds, or make them a separate cluster.',
    ),
  ];
}

/**
 * Checks the swarm mode of an engine, its machines, the limits of services on them, and the registry that they share.
 */
export async function swarmFindings(examined: ExaminedEngine, info: DockerInfo): Promise<DoctorFinding[]> {
  const { LocalNodeState: state, ControlAvailable: isManager, NodeID: node, Managers: managers } = info.Swarm;
  if (state !== 'active')
    return [
      inactive(examined, info),
      nodes.skipped('swarm mode is not active'),
      await buildRegistryFinding(examined, 1),
      ...limitsFindings(examined, info, []),
    ];
  if (!isManager) {
    return [
      swarm.bad(
        "the engine is a worker, which can't start services",
        `Give the address of a manager, or run on a manager: docker node promote ${node}`,
      ),
      nodes.skipped('only managers know them'),
      findingBuilder('registry').skipped('only managers know how many machines there are'),
    ];
  }
  const all = await listDockerNodes(examined.docker);
  const active = all.filter(({ Spec }) => Spec.Availability === 'active');
  return [
    swarm.good(`active; the engine is a manager, ${managers === 1 ? 'the only one' : `one of ${managers}`}`),
    ...managersFindings(info.Swarm, examined.engines.length),
    nodesFinding(examined, all),
    ...(await agentsFindings(examined, all.length)),
    ...processorsFinding(active),
    ...(await nodesFindings(examined, all)),
    await buildRegistryFinding(examined, active.length),
    ...(await registryOnNodesFindings(examined, all)),
    ...(await proxyNodesFindings(examined, all)),
    ...limitsFindings(examined, info, all.filter(takesInstances)),
  ];
}
