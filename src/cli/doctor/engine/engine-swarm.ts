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

const nodesFinding = (all: readonly DockerNode[]): DoctorFinding => {
  const away = all.filter((node) => !isUsable(node)).map(({ Description: { Hostname: name }, Status: { State: state }, Spec: { Availability: availability } }) => `${name} (${state}, ${availability})`);
  if (away.length === 0) return nodes.good(all.length === 1 ? 'one machine' : `${all.length} machines, all ready`);
  return nodes.note(`${away.length} of ${all.length} take no services: ${away.join(', ')}`, 'Start the engines of those that are down; docker node ls shows them all.');
};

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
  return [swarm.good(`active; the engine is a manager, ${managers === 1 ? 'the only one' : `one of ${managers}`}`), nodesFinding(all), await buildRegistryFinding(examined, all.length), ...limitsFindings(examined, info, all.filter(isUsable))];
}
