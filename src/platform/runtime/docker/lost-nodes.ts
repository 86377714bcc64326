import type { InstanceEnd, RunningVersion } from '../index.ts';
import type { DockerContext } from './docker-context.ts';
import { type DockerNode, type DockerTask, listDockerNodes } from './engine/index.ts';
import { labelledDeployment } from './labels.ts';
import { podName } from './names.ts';

/** How long an engine may take to answer, in milliseconds. */
const timeoutMilliseconds = 5000;

/** The states of a task that has ended. */
const ended: readonly DockerTask['Status']['State'][] = ['complete', 'shutdown', 'failed', 'rejected', 'remove'];

/** Whether an instance is to end, and has not said that it did: it is just ending, or its node doesn't answer any more. */
const isGivenUp = ({ DesiredState, Status, NodeID }: DockerTask): boolean => DesiredState === 'shutdown' && !ended.includes(Status.State) && NodeID !== undefined;

/** The nodes that don't answer any more, by their ids. */
async function nodesDown({ docker }: DockerContext, signal: AbortSignal): Promise<ReadonlyMap<string, DockerNode>> {
  const nodes = await listDockerNodes(docker, {}, { signal, timeoutMilliseconds });
  return new Map(nodes.filter(({ Status }) => Status.State === 'down').map((node) => [node.ID, node]));
}

const downText = ({ Description, UpdatedAt }: DockerNode): string => `the node ${Description.Hostname}, which has been down since ${UpdatedAt.replace(/\.\d+Z$/, 'Z')} or earlier`;

/**
 * The instances of a version that were lost with their nodes, among its tasks. The engine starts others in their place.
 * @param known ends that aren't looked up again
 */
export async function lostWithNodes(context: DockerContext, { service, deploymentId, runningSince }: RunningVersion, tasks: readonly DockerTask[], known: readonly InstanceEnd[], signal: AbortSignal): Promise<InstanceEnd[]> {
  const given = tasks.filter((task) => isGivenUp(task) && labelledDeployment(task.Spec.ContainerSpec.Labels) === deploymentId && !known.some(({ id }) => id === task.ID));
  if (given.length === 0) return [];
  const down = await nodesDown(context, signal);
  return given.flatMap((task) => {
    const node = down.get(task.NodeID!);
    const at = node ? Date.parse(node.UpdatedAt) : 0;
    return node && at >= runningSince ? [{ id: task.ID, pod: podName(service, task.Slot, task.ID), at, why: `it was lost with ${downText(node)}`, withNode: true as const, lines: [] }] : [];
  });
}

/** In words that instances wait for a node that is down; undefined if none of their nodes is. */
export async function nodeObstacle(context: DockerContext, tasks: readonly DockerTask[], signal: AbortSignal): Promise<string | undefined> {
  const down = await nodesDown(context, signal);
  const node = tasks.map(({ NodeID: id }) => (id === undefined ? undefined : down.get(id))).find((each) => each !== undefined);
  return node && `An instance ran on ${downText(node)}.`;
}
