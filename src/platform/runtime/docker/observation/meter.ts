import { reasonOf, sum } from '../../../common/index.ts';
import type { InstanceUse, Measured, Meter, NodeSeen } from '../../index.ts';
import type { DockerContext, OwnObjects } from '../docker-context.ts';
import {
  type DockerClient,
  type DockerContainerStats,
  dockerContainerStats,
  type DockerNode,
  type DockerTask,
  isDockerError,
  listDockerNodes,
  listDockerTasks,
} from '../api/index.ts';
import { hasFailed, wasReplaced } from '../instance-states.ts';
import { labelFilter, labelledService, platformLabels } from '../labels.ts';
import { whyNotAsked } from '../nodes/every-node.ts';
import type { NodeEngines } from '../nodes/node-engines.ts';
import { nodeName } from '../nodes/node-facts.ts';
import { createRequestCounter } from '../proxy/request-counter.ts';
import { answerMilliseconds } from '../waits.ts';

/** How often to measure, in milliseconds: one request per instance, each of which takes an engine some milliseconds. */
const intervalMilliseconds = 20_000;

/** A running instance and its container. */
interface Running {
  readonly serviceId: string;
  readonly task: DockerTask;
  readonly container: string;
}

const runningIn = (tasks: readonly DockerTask[]): readonly Running[] =>
  tasks.flatMap((task) => {
    const [serviceId, container] = [
      labelledService(task.Spec.ContainerSpec.Labels),
      task.Status.ContainerStatus?.ContainerID,
    ];
    return task.Status.State === 'running' && serviceId !== undefined && container !== undefined
      ? [{ serviceId, task, container }]
      : [];
  });

/**
 * Returns the resource usage of one instance; undefined for one that has just ended, for which engines report zeros.
 */
function useOf(
  { serviceId, task, container }: Running,
  node: string,
  stats: DockerContainerStats,
): InstanceUse | undefined {
  const [cpuNanoseconds, memory] = [stats.cpu_stats?.cpu_usage?.total_usage, stats.memory_stats?.usage];
  if (cpuNanoseconds === undefined || memory === undefined) return undefined;
  const { inactive_file: inactive, total_inactive_file: inactiveBefore } = stats.memory_stats?.stats ?? {};
  const networks = Object.values(stats.networks ?? {});
  const { NanoCPUs: cpu, MemoryBytes: memoryLimit } = task.Spec.Resources?.Limits ?? {};
  return {
    serviceId,
    id: container,
    node,
    at: Date.parse(stats.read),
    cpuNanoseconds,
    memory: Math.max(0, memory - (inactiveBefore ?? inactive ?? 0)),
    received: sum(networks.map(({ rx_bytes: bytes }) => bytes)),
    sent: sum(networks.map(({ tx_bytes: bytes }) => bytes)),
    ...(cpu && { cpuLimit: cpu / 1e6 }),
    ...(memoryLimit && { memoryLimit }),
  };
}

/** Measures the instances of one node in sequence: all at once would delay other requests to its engine. */
async function useOnNode(
  docker: DockerClient,
  node: string,
  running: readonly Running[],
  signal: AbortSignal,
): Promise<InstanceUse[]> {
  const found: InstanceUse[] = [];
  for (const each of running) {
    const stats = await dockerContainerStats(docker, each.container, {
      signal,
      timeoutMilliseconds: answerMilliseconds,
    }).catch((error: unknown) => {
      // It has just ended.
      if (isDockerError(error, 'not found', 'conflict')) return undefined;
      throw error;
    });
    const use = stats && useOf(each, node, stats);
    if (use) found.push(use);
  }
  return found;
}

type OfNode = Pick<Measured, 'instances' | 'unmeasured'>;

/** Whether an instance of a service that is kept running ended by itself. A job that ends is no restart. */
const endedUnexpectedly = (task: DockerTask): boolean =>
  task.Spec.RestartPolicy?.Condition === 'any' && hasFailed(task);

/**
 * Creates the function that counts the instances that ended unexpectedly on each node since the previous round. The
 * engine keeps only the last few predecessors of each instance: if more ended within a round, the others are not
 * counted.
 */
function createRestartCounter(): (tasks: readonly DockerTask[]) => ReadonlyMap<string, number> {
  let known: ReadonlySet<string> | undefined;
  return (tasks) => {
    const ended = tasks.filter((each) => endedUnexpectedly(each) && !wasReplaced(each, tasks));
    const fresh = known === undefined ? [] : ended.filter(({ ID: id }) => !known!.has(id));
    known = new Set(ended.map(({ ID: id }) => id));
    return new Map([...Map.groupBy(fresh, ({ NodeID: id }) => id ?? '')].map(([id, all]) => [id, all.length]));
  };
}

const nodeSeen = (node: DockerNode, restarts: ReadonlyMap<string, number>): NodeSeen => ({
  id: node.ID,
  name: nodeName(node),
  isReady: node.Status.State === 'ready',
  restarts: restarts.get(node.ID) ?? 0,
});

/**
 * Creates the meter of a swarm's services: the engines of the nodes report what instances use, the proxy's log contains
 * the requests.
 */
export function createMeter(
  context: OwnObjects & Pick<DockerContext, 'clock' | 'whyNoAgent'>,
  engines: NodeEngines,
  interval = intervalMilliseconds,
): Meter {
  const { docker, platformId } = context;

  const onNode = async (
    nodeId: string,
    name: string,
    running: readonly Running[],
    signal: AbortSignal,
  ): Promise<OfNode> => {
    const unmeasured = (reason: string): OfNode => ({
      instances: [],
      unmeasured: running.map(({ serviceId }) => ({ serviceId, node: name, reason })),
    });
    try {
      const engine = await engines.of(nodeId, signal);
      return engine === undefined
        ? unmeasured(await whyNotAsked(context, nodeId, signal))
        : { instances: await useOnNode(engine, nodeId, running, signal), unmeasured: [] };
    } catch (error) {
      signal.throwIfAborted();
      return unmeasured(reasonOf(error));
    }
  };

  const onNodes = async (
    countRestarts: ReturnType<typeof createRestartCounter>,
    signal: AbortSignal,
  ): Promise<OfNode & Pick<Measured, 'nodes'>> => {
    const call = { signal, timeoutMilliseconds: answerMilliseconds };
    const tasks = await listDockerTasks(docker, labelFilter(platformLabels(platformId)), call);
    const nodes = await listDockerNodes(docker, {}, call);
    const byNode = Map.groupBy(
      runningIn(tasks.filter(({ DesiredState }) => DesiredState === 'running')),
      ({ task }) => task.NodeID ?? '',
    );
    const names = new Map(nodes.map((node) => [node.ID, nodeName(node)]));
    const measured = await Promise.all(
      [...byNode].map(([nodeId, running]) => onNode(nodeId, names.get(nodeId) ?? nodeId, running, signal)),
    );
    const restarts = countRestarts(tasks);
    return {
      nodes: nodes.map((node) => nodeSeen(node, restarts)),
      instances: measured.flatMap((each) => each.instances),
      unmeasured: measured.flatMap((each) => each.unmeasured),
    };
  };

  return {
    interval,
    begin: () => {
      const countRequests = createRequestCounter(context, engines);
      const countRestarts = createRestartCounter();
      return async (signal) => ({ ...(await onNodes(countRestarts, signal)), ...(await countRequests(signal)) });
    },
  };
}
