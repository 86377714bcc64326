import { availableParallelism, loadavg } from 'node:os';
import { expect } from 'vitest';
import { inspectDockerNode, listDockerTasks } from '../../../src/platform/runtime/docker/api/index.ts';
import type { TestHosts } from './hosts.ts';

/** After how many seconds the engine noticed that a node was lost, and another instance ran. */
interface FailedOver {
  readonly noticed: number;
  readonly running: number;
}

/**
 * How long each may take: with a heartbeat of one second, and with that of a new swarm. When it is noticed only depends
 * on the heartbeat.
 */
export const failoverLimits = {
  fast: { noticed: 4, running: 5 },
  usual: { noticed: 16, running: 20 },
} satisfies Record<string, FailedOver>;

/** Whether the machine that all hosts are on has more to do than it can. */
const isBusy = (): boolean => loadavg()[0]! > availableParallelism();

/**
 * Requires that it took no longer than it may. On a busy machine everything may take longer: there it is only printed.
 */
export function requireSoon({ noticed, running }: FailedOver, limit: FailedOver): void {
  if (isBusy()) return;
  expect(noticed).toBeLessThan(limit.noticed);
  expect(running).toBeLessThan(limit.running);
}

/**
 * Cuts the power of the node with the only instance of a service, waits until another one runs elsewhere, and prints
 * how long it took. The times are those that the engine itself tells of the node and of the instance, so that a test
 * that is kept waiting adds nothing to them.
 */
export async function failOver({ hosts }: TestHosts, serviceId: string, nodeName: string): Promise<FailedOver> {
  const { docker } = hosts[0]!;
  const host = hosts.find(({ name }) => name === nodeName)!;
  const lost = await host.nodeId();
  const cut = Date.now();
  await host.kill();
  const elsewhere = async () =>
    (await listDockerTasks(docker, { service: [`infra-${serviceId}`], 'desired-state': ['running'] })).find(
      ({ NodeID, Status }) => NodeID !== lost && Status.State === 'running',
    );
  await expect.poll(elsewhere, { interval: 300 }).toBeDefined();
  const since = (at: string): number => (Date.parse(at) - cut) / 1000;
  const took = {
    noticed: since((await inspectDockerNode(docker, lost)).UpdatedAt),
    running: since((await elsewhere())!.Status.Timestamp),
  };
  console.log(
    `After the power of ${nodeName} was cut, it was noticed after ${took.noticed.toFixed(1)} s, and its instance ran elsewhere after ${took.running.toFixed(1)} s${isBusy() ? ', on a busy machine' : ''}`,
  );
  return took;
}
