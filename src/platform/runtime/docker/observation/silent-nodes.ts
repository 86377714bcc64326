import { condition, type Condition } from '../../../../contract/index.ts';
import type { PlatformClock } from '../../../common/index.ts';
import type { ServiceToRun } from '../../index.ts';
import type { DockerNode, DockerTask } from '../engine/index.ts';
import { isUp } from '../instance-states.ts';
import { podName } from '../names.ts';

/**
 * For how long managers may not reach a node until its instances don't count any more, in milliseconds: after another manager has begun to lead, each node takes
 * a moment to show itself.
 */
const silentMilliseconds = 10_000;

/** Nodes that are not down as far as is known, and that managers don't reach; by their ids. */
export type SilentNodes = ReadonlyMap<string, {
  readonly name: string;
  /** When that was seen first, in milliseconds since the epoch. */
  readonly since: number;
}>;

/** Whether managers don't reach a node and have not given it up. A new leader doesn't know of nodes until they show themselves; a lost manager may count as a ready node meanwhile. */
const isSilent = ({ Status, ManagerStatus }: DockerNode): boolean => Status.State !== 'down' && (Status.State !== 'ready' || ManagerStatus?.Reachability === 'unreachable');

/** Creates the function that tells which nodes have been silent for long, from how nodes are at each look. */
export function createSilentNodes(clock: Pick<PlatformClock, 'now'>): (nodes: readonly DockerNode[]) => SilentNodes {
  let silent: SilentNodes = new Map();
  return (nodes) => {
    const now = clock.now();
    silent = new Map(nodes.filter(isSilent).map(({ ID, Description }) => [ID, { name: Description.Hostname, since: silent.get(ID)?.since ?? now }]));
    return new Map([...silent].filter(([, { since }]) => now - since >= silentMilliseconds));
  };
}

/** That nobody knows whether instances run; undefined if none is on a silent node. */
export function silence(service: Pick<ServiceToRun, 'id' | 'name'>, tasks: readonly DockerTask[], silent: SilentNodes): Condition | undefined {
  const hidden = tasks.filter((task) => isUp(task) && silent.has(task.NodeID ?? ''));
  if (hidden.length === 0) return undefined;
  const node = [...new Set(hidden.map(({ NodeID }) => silent.get(NodeID!)!.name))].toSorted().join(', ');
  const since = Math.min(...hidden.map(({ NodeID }) => silent.get(NodeID!)!.since));
  const pods = hidden.map(({ ID, Slot }) => podName(service, Slot, ID)).toSorted();
  return condition('NODE_UNREACHABLE', { node, since: new Date(since).toISOString().replace(/\.\d+Z$/, 'Z'), instances: pods });
}
