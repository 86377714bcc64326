import { type DockerInfo, type DockerNode, listDockerNodes } from '../../../platform/runtime/docker/index.ts';
import { type DoctorFinding, findingBuilder } from '../finding.ts';
import { limitsFindings } from './engine-limits.ts';
import { buildRegistryFinding } from './engine-registries.ts';
import { dockerCommand, type ExaminedEngine } from './examined-engine.ts';

const swarm = findingBuilder('swarm');
const nodes = findingBuilder('nodes');

/** What is wrong with an engine whose swarm mode isn't active. */
const inactive = (examined: ExaminedEngine, { Swarm: { LocalNodeState: state, Error: error } }: DockerInfo): DoctorFinding => {
  const docker = dockerCommand(examined);
  if (state === 'inactive') {
    return swarm.bad('swarm mode is off', `Switch it on: ${docker} swarm init --advertise-addr 127.0.0.1 (for more than one machine: the address by which the others reach this one)`);
  }
  if (state === 'locked') return swarm.bad('the swarm is locked', `Unlock it: ${docker} swarm unlock`);
  if (state === 'pending') return swarm.bad('the engine is still joining a swarm', 'Check again in a minute.');
  return swarm.bad(`swarm mode does not work: ${error || 'the engine says no more'}`, 'Look at the log of the engine.');
};

const isUsable = ({ Status: { State: state }, Spec: { Availability: availability } }: DockerNode): boolean => state === 'ready' && availability === 'active';

/** What has to be open between the machines of a swarm. */
const swarmPorts = '2377/tcp of the managers, and 7946/tcp, 7946/udp and 4789/udp of all';

const nameOf = ({ Description: { Hostname: name } }: DockerNode): string => name;

/** What to do about machines that take no services. */
const nodesAdvice = (away: readonly DockerNode[], docker: string): string => {
  const [silent, resting] = [away.filter(({ Status }) => Status.State !== 'ready'), away.filter(({ Status }) => Status.State === 'ready')];
  return [
    ...(silent.length > 0 ? [`Start the engines of ${silent.map(nameOf).join(', ')}, and open these ports between the machines: ${swarmPorts}. Of a machine that is gone for good: ${docker} node rm --force ${nameOf(silent[0]!)}.`] : []),
    ...(resting.length > 0 ? [`When ${resting.map(nameOf).join(', ')} may run services again: ${docker} node update --availability active ${nameOf(resting[0]!)}.`] : []),
  ].join(' ');
};

const nodesFinding = (examined: ExaminedEngine, all: readonly DockerNode[]): DoctorFinding => {
  const away = all.filter((node) => !isUsable(node));
  if (away.length === 0) return nodes.good(all.length === 1 ? 'one machine' : `${all.length} machines, all ready`);
  const told = away.map((node) => `${nameOf(node)} (${node.Status.State}, ${node.Spec.Availability})`);
  return nodes.note(`${away.length} of ${all.length} take no services: ${told.join(', ')}`, nodesAdvice(away, dockerCommand(examined)));
};

/** The programs in containers, such as the one for probes, are for the kind of CPU that the engine which is asked has. */
function processorsFinding(all: readonly DockerNode[]): DoctorFinding[] {
  const kinds = [...Map.groupBy(all, ({ Description: { Platform: { Architecture: kind } } }) => kind)];
  if (kinds.length < 2) return [];
  return [nodes.bad(`they have different kinds of CPU: ${kinds.map(([kind, machines]) => `${kind} (${machines.map(nameOf).join(', ')})`).join(', ')}; probes and secret variables work on one kind only`, 'Drain the machines of the other kinds, or make a cluster of their own of them.')];
}

/** Checks the swarm mode of an engine, its machines, what services may hold of them, and the registry that they share. */
export async function swarmFindings(examined: ExaminedEngine, info: DockerInfo): Promise<DoctorFinding[]> {
  const { LocalNodeState: state, ControlAvailable: isManager, NodeID: node, Managers: managers } = info.Swarm;
  if (state !== 'active') return [inactive(examined, info), nodes.skipped('swarm mode is not active'), await buildRegistryFinding(examined, 1), ...limitsFindings(examined, info, [])];
  if (!isManager) {
    return [
      swarm.bad('the engine is a worker, which can\'t start services', `Give the address of a manager, or run on a manager: docker node promote ${node}`),
      nodes.skipped('only managers know them'), findingBuilder('registry').skipped('only managers know how many machines there are'),
    ];
  }
  const all = await listDockerNodes(examined.docker);
  const active = all.filter(({ Spec }) => Spec.Availability === 'active');
  return [swarm.good(`active; the engine is a manager, ${managers === 1 ? 'the only one' : `one of ${managers}`}`), nodesFinding(examined, all), ...processorsFinding(active), await buildRegistryFinding(examined, active.length), ...limitsFindings(examined, info, all.filter(isUsable))];
}
