import { reasonOf, sum } from '../../../common/index.ts';
import type { InstanceUse, Measured, Meter } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import { type DockerClient, type DockerContainerStats, dockerContainerStats, type DockerTask, isDockerError, listDockerNodes, listDockerTasks } from '../engine/index.ts';
import { labelFilter, labelledService, platformLabels } from '../labels.ts';
import { whyNotAsked } from '../nodes/every-node.ts';
import type { NodeEngines } from '../nodes/node-engines.ts';
import { createRequestCounter } from '../proxy/request-counter.ts';
import { answerMilliseconds } from '../waits.ts';

/** How often to measure, in milliseconds: one request an instance, each of which takes an engine some milliseconds. */
const intervalMilliseconds = 20_000;

/** An instance that runs, with the container that it runs in. */
interface Running {
  readonly serviceId: string;
  readonly task: DockerTask;
  readonly container: string;
}

const runningIn = (tasks: readonly DockerTask[]): readonly Running[] => tasks.flatMap((task) => {
  const [serviceId, container] = [labelledService(task.Spec.ContainerSpec.Labels), task.Status.ContainerStatus?.ContainerID];
  return task.Status.State === 'running' && serviceId !== undefined && container !== undefined ? [{ serviceId, task, container }] : [];
});

/** What one instance has used; undefined for one that has just ended, of which engines tell zeros. */
function useOf({ serviceId, task, container }: Running, node: string, stats: DockerContainerStats): InstanceUse | undefined {
  const [cpuNanoseconds, memory] = [stats.cpu_stats?.cpu_usage?.total_usage, stats.memory_stats?.usage];
  if (cpuNanoseconds === undefined || memory === undefined) return undefined;
  const { inactive_file: inactive, total_inactive_file: inactiveBefore } = stats.memory_stats?.stats ?? {};
  const networks = Object.values(stats.networks ?? {});
  const { NanoCPUs: cpu, MemoryBytes: memoryLimit } = task.Spec.Resources?.Limits ?? {};
  return {
    serviceId, id: container, node, at: Date.parse(stats.read), cpuNanoseconds, memory: Math.max(0, memory - (inactiveBefore ?? inactive ?? 0)),
    received: sum(networks.map(({ rx_bytes: bytes }) => bytes)), sent: sum(networks.map(({ tx_bytes: bytes }) => bytes)),
    ...(cpu && { cpuLimit: cpu / 1e6 }), ...(memoryLimit && { memoryLimit }),
  };
}

/** Measures the instances of one node, one after the other: all at once would hold up what else is asked of its engine. */
async function useOnNode(docker: DockerClient, node: string, running: readonly Running[], signal: AbortSignal): Promise<InstanceUse[]> {
  const found: InstanceUse[] = [];
  for (const each of running) {
    // oxlint-disable-next-line no-await-in-loop
    const stats = await dockerContainerStats(docker, each.container, { signal, timeoutMilliseconds: answerMilliseconds }).catch((error: unknown) => {
      // It has just ended.
      if (isDockerError(error, 'not found', 'conflict')) return undefined;
      throw error;
    });
    const use = stats && useOf(each, node, stats);
    if (use) found.push(use);
  }
  return found;
}

type OfNode = Pick<Measured, 'instances' | 'unseen'>;

/** Creates what measures the services of a swarm: what instances use by the engines of their nodes, requests by the log of the proxy. */
export function createMeter(context: Pick<DockerContext, 'docker' | 'platformId' | 'clock' | 'whyNoAgent'>, engines: NodeEngines, interval = intervalMilliseconds): Meter {
  const { docker, platformId } = context;

  const nodeNames = async (signal: AbortSignal): Promise<ReadonlyMap<string, string>> =>
    new Map((await listDockerNodes(docker, {}, { signal, timeoutMilliseconds: answerMilliseconds })).map(({ ID, Description: { Hostname } }) => [ID, Hostname]));

  const onNode = async (nodeId: string, name: string, running: readonly Running[], signal: AbortSignal): Promise<OfNode> => {
    const unseen = (reason: string): OfNode => ({ instances: [], unseen: running.map(({ serviceId }) => ({ serviceId, node: name, reason })) });
    try {
      const engine = await engines.of(nodeId, signal);
      return engine === undefined ? unseen(await whyNotAsked(context, nodeId, signal)) : { instances: await useOnNode(engine, nodeId, running, signal), unseen: [] };
    } catch (error) {
      signal.throwIfAborted();
      return unseen(reasonOf(error));
    }
  };

  const instances = async (signal: AbortSignal): Promise<OfNode> => {
    const tasks = await listDockerTasks(docker, { ...labelFilter(platformLabels(platformId)), 'desired-state': ['running'] }, { signal, timeoutMilliseconds: answerMilliseconds });
    const byNode = Map.groupBy(runningIn(tasks), ({ task }) => task.NodeID ?? '');
    const names = await nodeNames(signal);
    const measured = await Promise.all([...byNode].map(([nodeId, running]) => onNode(nodeId, names.get(nodeId) ?? nodeId, running, signal)));
    return { instances: measured.flatMap((each) => each.instances), unseen: measured.flatMap((each) => each.unseen) };
  };

  return {
    interval,
    begin: () => {
      const countRequests = createRequestCounter(context, engines);
      return async (signal) => ({ ...(await instances(signal)), ...(await countRequests(signal)) });
    },
  };
}
