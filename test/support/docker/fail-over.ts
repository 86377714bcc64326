import { expect } from 'vitest';
import { inspectDockerNode, listDockerTasks } from '../../../src/platform/runtime/docker/api/index.ts';
import type { TestHosts } from './hosts.ts';

/**
 * Cuts the power of the node with the only instance of a service, waits until another one runs elsewhere, and prints
 * how many seconds that took. The times are those that the engine itself tells of the node and of the instance, so that a test
 * that is kept waiting adds nothing to them.
 */
export async function failOver({ hosts }: TestHosts, serviceId: string, nodeName: string): Promise<void> {
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
  const noticed = since((await inspectDockerNode(docker, lost)).UpdatedAt);
  const running = since((await elsewhere())!.Status.Timestamp);
  console.log(
    `After the power of ${nodeName} was cut, it was noticed after ${noticed.toFixed(1)} s, and its instance ran elsewhere after ${running.toFixed(1)} s`,
  );
}
