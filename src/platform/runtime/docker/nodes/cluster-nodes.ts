import { mebibyte, sum } from '../../../common/index.ts';
import type { ClusterNode } from '../../index.ts';
import type { DockerContext, OwnObjects } from '../docker-context.ts';
import { addressOfNode, type DockerNode, type DockerTask, listDockerNodes, listDockerTasks } from '../api/index.ts';
import { isMadeHere, labelledService } from '../labels.ts';
import { boundNode } from './placement.ts';

/** The timeout for an engine's response, in milliseconds. The caller that requests a cluster waits for it. */
const timeoutMilliseconds = 2500;

/** For how long a result is reused for other callers, in milliseconds. */
const freshMilliseconds = 2000;

const upper = <Word extends string>(word: Word): Uppercase<Word> => word.toUpperCase() as Uppercase<Word>;

/** Which instances a node accepts, by its availability. */
const takenBy = { active: 'any', pause: 'its own', drain: 'none' } as const;

/** Returns a node with its running instances. @param isOurs whether an instance belongs to this platform */
function clusterNode(
  node: DockerNode,
  tasks: readonly DockerTask[],
  isOurs: (task: DockerTask) => boolean,
): ClusterNode {
  const {
    ID: id,
    UpdatedAt,
    Spec,
    Description: { Hostname, Resources },
    Status,
  } = node;
  const here = tasks.filter((task) => task.NodeID === id && task.Status.State === 'running');
  const limits = here.map((task) => task.Spec.Resources?.Limits);
  const address = addressOfNode(node);
  return {
    id,
    name: Hostname,
    isManager: Spec.Role === 'manager',
    takes: takenBy[Spec.Availability],
    state: upper(Status.State),
    changedAt: Date.parse(UpdatedAt),
    labels: Spec.Labels ?? {},
    ...(address !== undefined && { address }),
    cpu: Math.round(Resources.NanoCPUs / 1e6),
    memory: Math.floor(Resources.MemoryBytes / mebibyte),
    cpuAllotted: Math.round(sum(limits.map((limit) => limit?.NanoCPUs ?? 0)) / 1e6),
    memoryAllotted: Math.floor(sum(limits.map((limit) => limit?.MemoryBytes ?? 0)) / mebibyte),
    instances: here.length,
    boundServiceIds: [
      ...new Set(
        tasks
          .filter((task) => isOurs(task) && boundNode(task.Spec) === id)
          .flatMap((task) => labelledService(task.Spec.ContainerSpec.Labels) ?? []),
      ),
    ],
  };
}

/** Creates the function that reads the nodes of the swarm, in two requests. Calls within a short time share them. */
export function createNodesReader({
  docker,
  platformId,
  clock,
}: OwnObjects & Pick<DockerContext, 'clock'>): (signal: AbortSignal) => Promise<readonly ClusterNode[]> {
  const isOurs = ({ Spec }: DockerTask): boolean => isMadeHere(Spec.ContainerSpec.Labels, platformId);
  const read = async (signal: AbortSignal): Promise<readonly ClusterNode[]> => {
    const call = { signal, timeoutMilliseconds };
    const [nodes, tasks] = await Promise.all([
      listDockerNodes(docker, {}, call),
      listDockerTasks(docker, { 'desired-state': ['running'] }, call),
    ]);
    return nodes
      .map((node) => clusterNode(node, tasks, isOurs))
      .toSorted((one, other) => one.name.localeCompare(other.name));
  };
  let last: { readonly at: number; readonly nodes: Promise<readonly ClusterNode[]> } | undefined;
  return (signal) => {
    const now = clock.now();
    if (last === undefined || now - last.at >= freshMilliseconds) last = { at: now, nodes: read(signal) };
    return last.nodes;
  };
}
