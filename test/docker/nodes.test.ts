import { afterAll, beforeAll, expect, test } from 'vitest';
import { scriptContainer } from '../support/docker/docker-platform.ts';
import { startTestHosts, type TestHosts } from '../support/docker/hosts.ts';
import { prepareSpawnedPlatform, type SpawnedPlatform } from '../support/docker/spawned-platform.ts';
import { type Json, rowsOf } from '../support/test-platform.ts';

let swarm: TestHosts;
let platform: SpawnedPlatform;
let environmentId: string;
let registryId: string;

beforeAll(async () => {
  swarm = await startTestHosts({ managers: 1, workers: 1 });
  await swarm.publish('shell');
  platform = await prepareSpawnedPlatform({ engine: { address: swarm.hosts[0]!.socket }, registry: swarm.registry });
  await platform.start();
  ({ environmentId, registryId } = await platform.createEnvironment());
});
afterAll(async () => {
  await platform?.end();
  await swarm?.end();
});

let web: string;
let files: string;

const create = async (name: string, more: Json = {}): Promise<string> =>
  String((await platform.call('POST', `/environment/${environmentId}/container`, { name, ...scriptContainer(registryId, 'exec sleep 600', more) }))['id']);

const statusOf = (id: string): Promise<Json> => platform.call('GET', `/container/${id}/status`);

/** The cluster as the API lists it. */
const cluster = async (): Promise<Json> => {
  const [organization] = await platform.rows('/organization');
  return (await platform.rows(`/organization/${String(organization!['id'])}/cluster`))[0]!;
};

const nodes = async (): Promise<Json[]> => (await cluster())['nodes'] as Json[];

const patience = { timeout: 60_000, interval: 300 };

test('the machines of a cluster are listed with what they are, have, and run', async () => {
  web = await create('web', { min_running_instances: 2, max_running_instances: 2 });
  files = await create('files', { storage: [{ type: 'FAST_SSD', size: 1, mount_point: '/data' }] });
  await platform.call('POST', `/environment/${environmentId}/deploy`);
  for (const id of [web, files]) await expect.poll(async () => (await statusOf(id))['state'], patience).toBe('DEPLOYED');
  await expect.poll(async () => (await nodes()).reduce((sum, { instances }) => sum + Number(instances), 0), patience).toBe(3);
  const [first, second] = await nodes();
  expect(first).toMatchObject({ name: 'node-1', role: 'MANAGER', availability: 'ACTIVE', state: 'READY', address: '192.168.99.11' });
  expect(second).toMatchObject({ name: 'node-2', role: 'WORKER', availability: 'ACTIVE', state: 'READY', address: '192.168.99.12' });
  expect(second!['cpu_allotted']).toBe(Number(second!['instances']) * 100);
  expect(second!['memory_allotted']).toBe(Number(second!['instances']) * 64);
  expect(await cluster()).not.toHaveProperty('warnings');
});

test('a node that is drained is told, with what waits for it', async () => {
  await swarm.setAvailability(swarm.hosts[0]!, 'drain');
  await expect.poll(async () => (await nodes()).map(({ availability, instances }) => [availability, instances]), patience).toEqual([['DRAIN', 0], ['ACTIVE', 2]]);
  expect((await cluster())['warnings']).toEqual(['The node node-1 is drained: its instances run on other nodes, as far as these have room. What has its storage on it waits for it: files.']);
  await expect.poll(async () => (await statusOf(files))['state'], patience).toBe('UNAVAILABLE');
  expect(await statusOf(web)).toMatchObject({ state: 'DEPLOYED', running: { instances: 2, wanted_instances: 2, restarts: 0 } });
  await swarm.setAvailability(swarm.hosts[0]!, 'active');
  await expect.poll(async () => (await statusOf(files))['state'], patience).toBe('DEPLOYED');
  expect(await cluster()).not.toHaveProperty('warnings');
});

test('a node that is lost is told; what ran on it runs elsewhere, and its status and log say why', async () => {
  await swarm.hosts[1]!.kill();
  await expect.poll(async () => (await nodes()).map(({ state, instances }) => [state, instances]), patience).toEqual([['READY', 3], ['DOWN', 0]]);
  expect((await cluster())['warnings']).toEqual([expect.stringMatching(/^The node node-2 has been down since \S+ or earlier\. Its instances are started on other nodes, as far as these have room\.$/)]);
  await expect.poll(() => statusOf(web), patience).toMatchObject({ state: 'DEPLOYED', running: { instances: 2, restarts: 2 } });
  const lost = /was lost with the node node-2, which has been down since \S+Z or earlier/;
  const { running } = await statusOf(web) as { running: { warnings: string[] } };
  expect(running.warnings).toEqual([expect.stringMatching(lost)]);
  const lines = rowsOf(await platform.call('GET', `/container/${web}/log`)).map(({ message }) => String(message));
  expect(lines.filter((line) => lost.test(line))).toHaveLength(2);
  expect(await statusOf(files)).toMatchObject({ state: 'DEPLOYED' });
});
