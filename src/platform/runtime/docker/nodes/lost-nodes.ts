import { type Condition, condition } from '../../../../contract/index.ts';
import type { InstanceEnd, RunningVersion } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import { type DockerNode, type DockerTask, listDockerNodes } from '../api/index.ts';
import { hasToldEnd, isUnschedulable } from '../instance-states.ts';
import { labelledDeployment } from '../labels.ts';
import { podName } from '../names.ts';
import { boundNode } from './placement.ts';
import { answerMilliseconds } from '../waits.ts';

/**
 * Whether an instance should stop and has not reported its end: it is just stopping, or its node doesn't respond any
 * more.
 */
const isGivenUp = (task: DockerTask): boolean =>
  task.DesiredState === 'shutdown' && !hasToldEnd(task) && task.NodeID !== undefined;

const seenAt = ({ UpdatedAt }: DockerNode): string => UpdatedAt.replace(/\.\d+Z$/, 'Z');

/** A node that doesn't respond any more. */
interface DownNode {
  /**
   * The last change of the node's state, in milliseconds since the epoch: it has been down since then at the latest.
   */
  readonly at: number;
  /** Its name, and since when it is down: an ISO time. */
  readonly node: string;
  readonly since: string;
}

/** Nodes that don't respond any more, by their ids. */
export type DownNodes = ReadonlyMap<string, DownNode>;

/** Those of the nodes that don't respond any more. */
export const downAmong = (nodes: readonly DockerNode[]): DownNodes =>
  new Map(
    nodes
      .filter(({ Status }) => Status.State === 'down')
      .map((node) => [
        node.ID,
        { at: Date.parse(node.UpdatedAt), node: node.Description.Hostname, since: seenAt(node) },
      ]),
  );

/** The nodes of the swarm that don't respond any more. */
export const downNodes = async ({ docker }: Pick<DockerContext, 'docker'>, signal: AbortSignal): Promise<DownNodes> =>
  downAmong(await listDockerNodes(docker, {}, { signal, timeoutMilliseconds: answerMilliseconds }));

/** The end of an instance that its node can't report. `at` is in milliseconds since the epoch. */
interface Loss {
  readonly at: number;
  readonly why: Condition;
}

/**
 * Returns the instances that were lost with their nodes, by the ids of their tasks. The engine has given them up, and
 * doesn't report their end.
 */
export async function lostInstances(
  context: Pick<DockerContext, 'docker'>,
  tasks: readonly DockerTask[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Loss>> {
  const given = tasks.filter(isGivenUp);
  if (given.length === 0) return new Map();
  const down = await downNodes(context, signal);
  return new Map(
    given.flatMap(({ ID: id, NodeID: nodeId }) => {
      const node = down.get(nodeId!);
      return node
        ? [[id, { at: node.at, why: condition('LOST_WITH_NODE', { node: node.node, since: node.since }) }] as const]
        : [];
    }),
  );
}

/** Returns the task as the engine would report it if it knew that the instance has ended. */
export function endedAsLost(task: DockerTask): DockerTask {
  const { ContainerStatus: _, ...status } = task.Status;
  return { ...task, Status: { ...status, State: 'failed' } };
}

/**
 * Returns the instances of a version that were lost with their nodes, among its tasks. The engine starts others in
 * their place.
 * @param known ends that aren't queried again
 */
export async function lostWithNodes(
  context: Pick<DockerContext, 'docker'>,
  { service, deploymentId, runningSince }: RunningVersion,
  tasks: readonly DockerTask[],
  known: readonly InstanceEnd[],
  signal: AbortSignal,
): Promise<InstanceEnd[]> {
  const own = tasks.filter(
    (task) =>
      labelledDeployment(task.Spec.ContainerSpec.Labels) === deploymentId && !known.some(({ id }) => id === task.ID),
  );
  const lost = await lostInstances(context, own, signal);
  return own.flatMap((task) => {
    const loss = lost.get(task.ID);
    return loss && loss.at >= runningSince
      ? [
          {
            id: task.ID,
            pod: podName(service, task.Slot, task.ID),
            ...loss,
            withNode: true as const,
            ...(boundNode(task.Spec) !== undefined && { isBound: true as const }),
            lines: [],
          },
        ]
      : [];
  });
}

/** Whether an instance was lost with a node, and no replacement has a node yet. */
const isUnreplaced = (task: DockerTask, tasks: readonly DockerTask[], down: DownNodes): boolean =>
  down.has(task.NodeID ?? '') &&
  !tasks.some(
    ({ Slot, NodeID, DesiredState }) =>
      Slot === task.Slot && DesiredState === 'running' && NodeID !== undefined && !down.has(NodeID),
  );

/**
 * The condition that instances wait for their only possible node, which is down or gone, or were lost with a node that
 * is down; undefined otherwise, also if they wait for another reason: that they once ran on such a node is then
 * irrelevant.
 */
export async function nodeCondition(
  context: Pick<DockerContext, 'docker'>,
  tasks: readonly DockerTask[],
  signal: AbortSignal,
): Promise<Condition | undefined> {
  const all = await listDockerNodes(context.docker, {}, { signal, timeoutMilliseconds: answerMilliseconds });
  const down = downAmong(all);
  const waiting = tasks.filter((task) => isUnschedulable(task) && task.DesiredState === 'running');
  const awaited = waiting.flatMap(({ Spec }) => boundNode(Spec) ?? []);
  const gone = awaited.find((id) => !all.some(({ ID }) => ID === id));
  if (gone !== undefined) return condition('NODE_GONE', { node: gone });
  const only = awaited.map((id) => down.get(id)).find((each) => each !== undefined);
  if (only !== undefined) return condition('WAITING_FOR_NODE', { node: only.node, since: only.since });
  const lost = waiting.length > 0 ? undefined : tasks.find((task) => isUnreplaced(task, tasks, down));
  if (lost === undefined) return undefined;
  const { node, since } = down.get(lost.NodeID!)!;
  return condition('NODE_LOST', { node, since });
}
