import { condition, type Condition } from '../../../../contract/index.ts';
import type { ServiceToRun } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import { type DockerLabels, type DockerTask, listDockerTasks } from '../api/index.ts';
import { hasEnded } from '../instance-states.ts';
import { labelFilter } from '../labels.ts';
import { podName } from '../names.ts';
import type { NodesSeen } from './every-node.ts';
import { downNodes, type DownNodes } from './lost-nodes.ts';

/** Instances on nodes whose engines can't be queried, and whose end was not reported to the managers. */
export interface HiddenInstances {
  /** The names of those whose nodes will still report it. */
  readonly awaited: readonly string[];
  /** For those whose nodes are down: the condition that each may still run. */
  readonly lost: readonly Condition<'INSTANCES_MAY_RUN'>[];
}

const none: HiddenInstances = { awaited: [], lost: [] };

/** Among instances that should stop, those on nodes that are down. @param down the nodes that are down, by their ids */
const lostAmong = (service: Pick<ServiceToRun, 'id' | 'name'>, tasks: readonly DockerTask[], down: DownNodes) =>
  tasks
    .filter((task) => !hasEnded(task))
    .flatMap(({ ID, Slot, NodeID }) => {
      const on = down.get(NodeID ?? '');
      return on ? [{ instance: podName(service, Slot, ID), node: on.node, since: on.since }] : [];
    });

/**
 * The condition that instances which should stop may still run on nodes that are down; undefined if none may.
 * @param down the nodes that are down, by their ids
 */
export function mayStillRun(
  service: Pick<ServiceToRun, 'id' | 'name'>,
  tasks: readonly DockerTask[],
  down: DownNodes,
): Condition | undefined {
  const instances = lostAmong(service, tasks, down);
  return instances.length === 0 ? undefined : condition('INSTANCES_MAY_RUN', { instances });
}

/**
 * Finds the instances with these labels that managers know on nodes whose engines were not queried. Engines keep the
 * task of an instance that should stop until its node reports its end, even if its service is deleted.
 * @param nodes which were queried, and which could not be
 */
export async function hiddenInstances(
  context: Pick<DockerContext, 'docker'>,
  service: Pick<ServiceToRun, 'id' | 'name'>,
  labels: DockerLabels,
  { seen, unasked }: NodesSeen<unknown>,
  signal: AbortSignal,
): Promise<HiddenInstances> {
  if (unasked.length === 0) return none;
  const asked = new Set(seen.map(({ node }) => node.ID));
  const tasks = (await listDockerTasks(context.docker, labelFilter(labels), { signal })).filter(
    (task) => task.NodeID !== undefined && !asked.has(task.NodeID) && !hasEnded(task),
  );
  if (tasks.length === 0) return none;
  const down = await downNodes(context, signal);
  return {
    awaited: tasks.filter(({ NodeID }) => !down.has(NodeID!)).map(({ ID, Slot }) => podName(service, Slot, ID)),
    lost: lostAmong(service, tasks, down).map((instance) => condition('INSTANCES_MAY_RUN', { instances: [instance] })),
  };
}
