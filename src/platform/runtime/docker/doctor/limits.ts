import type { DockerInfo, DockerNode } from '../api/index.ts';
import { type DoctorFinding, findingBuilder } from '../../../common/index.ts';
import type { ExaminedEngine } from './examined-engine.ts';

const limitsCheck = findingBuilder('limits');

const mebibyte = 1024 * 1024;

/** The resources that services can use on an engine: thousandths of a CPU, and MB of memory. */
const roomOf = ({ NCPU: cpus, MemTotal: bytes }: DockerInfo, nodes: readonly DockerNode[]) => {
  const own = { cpu: cpus * 1000, memory: Math.floor(bytes / mebibyte) };
  // A manager knows the resources of all machines.
  const each = nodes.map(({ Description: { Resources: resources } }) => ({
    cpu: Math.round(resources.NanoCPUs / 1e6),
    memory: Math.floor(resources.MemoryBytes / mebibyte),
  }));
  return each.length > 1
    ? each.reduce((sum, node) => ({ cpu: sum.cpu + node.cpu, memory: sum.memory + node.memory }))
    : own;
};

/**
 * Compares the limits of a cluster with the resources of its engine.
 * @param nodes the machines of its swarm, as far as they are known
 * @returns nothing for a cluster without such limits
 */
export function limitsFindings(
  { limits }: ExaminedEngine,
  info: DockerInfo,
  nodes: readonly DockerNode[],
): DoctorFinding[] {
  const room = roomOf(info, nodes);
  const compared = [
    {
      limit: limits?.cpu,
      has: room.cpu,
      unit: 'thousandths of a CPU',
      effect: 'services that are all busy then slow each other down',
    },
    {
      limit: limits?.memory,
      has: room.memory,
      unit: 'MB of memory',
      effect: 'services that no longer fit then wait for room, and are not started',
    },
  ].filter(({ limit }) => limit !== undefined);
  if (compared.length === 0) return [];
  const exceeding = compared.filter(({ limit, has }) => limit! > has);
  if (exceeding.length === 0)
    return [
      limitsCheck.good(
        `services may hold ${compared.map(({ limit, unit, has }) => `${limit} of ${has} ${unit}`).join(', and ')}`,
      ),
    ];
  const says = exceeding.map(
    ({ limit, has, unit, effect }) =>
      `services may hold ${limit} ${unit}, and ${nodes.length > 1 ? 'the machines together have' : 'the engine has'} ${has}: ${effect}`,
  );
  return [
    limitsCheck.note(says.join('; '), 'Lower "limits" in the clusters file, and leave some for the engine itself.'),
  ];
}
