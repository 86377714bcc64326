import { condition, type Condition } from '../../../../contract/index.ts';
import type { ServiceToRun } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import { type DockerLabels, type DockerTask, listDockerTasks } from '../api/index.ts';
import { hasEnded } from '../instance-states.ts';
import { labelFilter } from '../labels.ts';
import { podName } from '../names.ts';
import type { NodesSeen } from './every-node.ts';
import { downNodes, type DownNodes } from './lost-nodes.ts';

/** Instances on nodes whose engines can't be asked, of which the managers have not been told that they ended. */
export interface HiddenInstances {
  /** The names of those whose nodes will tell. */
  readonly awaited: readonly string[];
  /** Of those whose nodes are down: that each may still run. */
  readonly lost: readonly Condition<'INSTANCES_MAY_RUN'>[];
}

const none: HiddenInstances = { awaited: [], lost: [] };

/** Of instances that are to end, those on nodes that are down. @param down the nodes that are down, by their ids */
const lostAmong = (service: Pick<ServiceToRun, 'id' | 'name'>, tasks: readonly DockerTask[], down: DownNodes) =>
  tasks
    .filter((task) => !hasEnded(task))
    .flatMap(({ ID, Slot, NodeID }) => {
      const on = down.get(NodeID ?? '');
      return on ? [{ instance: podName(service, Slot, ID), node: on.node, since: on.since }] : [];
    });

/**
 * That instances which are to end may still run on nodes that are down; undefined if none may.
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
 * What managers know of the instances with these labels on nodes whose engines were not asked. Engines keep the task of
 * an instance that is to end until its node tells that it did, also when its service is deleted.
 * @param nodes which were asked, and which could not be
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
