import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conditionChain } from '../../src/contract/index.ts';
import { listDockerTasks } from '../../src/platform/runtime/docker/api/index.ts';
import { conditionsIn, dataWith, runningConditions } from '../support/conditions.ts';
import { shellSource } from '../support/docker/applications.ts';
import { scriptContainer } from '../support/docker/docker-platform.ts';
import { registryUser, startTestRegistry } from '../support/docker/docker-registry.ts';
import { testAddress } from '../support/docker/host-network.ts';
import { startTestHosts, type TestHosts } from '../support/docker/hosts.ts';
import { prepareSpawnedPlatform, type SpawnedPlatform } from '../support/docker/spawned-platform.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { type Json, rowsOf } from '../support/test-platform.ts';
import { isLanding } from '../suites.ts';

let swarm: TestHosts;
let git: GitServer;
let receiver: Server;
/** What operators were told of. */
const alerts: string[] = [];

const receive = async (request: IncomingMessage): Promise<void> =>
  void alerts.push((JSON.parse(await text(request)) as { text: string }).text);
let platform: SpawnedPlatform;
let environmentId: string;
let registryId: string;

beforeAll(async () => {
  git = await startGitServer();
  swarm = await startTestHosts({ managers: 1, workers: 1 });
  await swarm.publish('shell');
  platform = await prepareSpawnedPlatform(
    { engine: { address: swarm.hosts[0]!.socket }, registry: swarm.registry },
    {
      git: { [git.host]: { private: true } },
      alerts: {
        receivers: { operators: { url_file: 'operators.url', kind: 'SLACK' } },
        rules: {
          'node-is-lost': {
            cluster: 'local',
            condition: 'infra_node_ready',
            operator: 'BELOW',
            threshold: 1,
            for: 'PT0S',
            receivers: ['operators'],
          },
        },
      },
    },
  );
  receiver = createServer((request, response) => void receive(request).finally(() => response.end())).listen(
    0,
    '127.0.0.1',
  );
  await once(receiver, 'listening');
  await writeFile(
    join(dirname(platform.clustersFile), 'operators.url'),
    `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
  );
  await platform.start();
  ({ environmentId, registryId } = await platform.createEnvironment());
});
afterAll(async () => {
  await platform?.end();
  await swarm?.end();
  await git?.close();
  receiver?.close();
});

let web: string;
let files: string;

const create = async (name: string, more: Json = {}): Promise<string> =>
  String(
    (
      await platform.call('POST', `/environment/${environmentId}/container`, {
        name,
        ...scriptContainer(registryId, 'exec sleep 600', more),
      })
    )['id'],
  );

const statusOf = (id: string): Promise<Json> => platform.call('GET', `/container/${id}/status`);

/** The cluster as the API lists it. */
const cluster = async (): Promise<Json> => {
  const [organization] = await platform.rows('/organization');
  return (await platform.rows(`/organization/${String(organization!['id'])}/cluster`))[0]!;
};

const nodes = async (): Promise<Json[]> => (await cluster())['nodes'] as Json[];

const within = { interval: 300 };

test('the machines of a cluster are listed with what they are, have, and run', async () => {
  web = await create('web', { min_running_instances: 2, max_running_instances: 2 });
  files = await create('files', { storage: [{ type: 'FAST_SSD', size: 1, mount_point: '/data' }] });
  await platform.call('POST', `/environment/${environmentId}/deploy`);
  for (const id of [web, files]) await expect.poll(async () => (await statusOf(id))['state'], within).toBe('DEPLOYED');
  await expect
    .poll(async () => (await nodes()).reduce((sum, { instances }) => sum + Number(instances), 0), within)
    .toBe(3);
  const [first, second] = await nodes();
  expect(first).toMatchObject({
    name: 'node-1',
    role: 'MANAGER',
    availability: 'ACTIVE',
    state: 'READY',
    address: '192.168.99.11',
  });
  expect(second).toMatchObject({
    name: 'node-2',
    role: 'WORKER',
    availability: 'ACTIVE',
    state: 'READY',
    address: '192.168.99.12',
  });
  expect(second!['cpu_allotted']).toBe(Number(second!['instances']) * 100);
  expect(second!['memory_allotted']).toBe(Number(second!['instances']) * 64);
  await expect.poll(async () => (await cluster())['conditions'], within).toBeUndefined();
});

test('a node that is drained is told, with what waits for it', async () => {
  await swarm.setAvailability(swarm.hosts[0]!, 'drain');
  await expect
    .poll(async () => (await nodes()).map(({ availability, instances }) => [availability, instances]), within)
    .toEqual([
      ['DRAIN', 0],
      ['ACTIVE', 2],
    ]);
  expect((await cluster())['conditions']).toMatchObject([
    { reason: 'NODE_DRAINED', node: 'node-1', details: { waiting: ['files'] } },
  ]);
  await expect.poll(async () => (await statusOf(files))['state'], within).toBe('UNAVAILABLE');
  await expect
    .poll(() => statusOf(web), within)
    .toMatchObject({ state: 'DEPLOYED', running: { instances: 2, wanted_instances: 2 } });
  // None of them ended by itself. On a busy machine an engine may fail to start one, which it says.
  const conditions = runningConditions(await statusOf(web));
  const ends = (await listDockerTasks(swarm.hosts[0]!.docker, { service: [`infra-${web}`] })).map(
    ({ CreatedAt, DesiredState, Status }) => ({ CreatedAt, DesiredState, Status }),
  );
  expect(
    conditions.filter((each) => !conditionChain(each).some(({ reason }) => reason === 'START_FAILED')),
    JSON.stringify(ends),
  ).toEqual([]);
  await swarm.setAvailability(swarm.hosts[0]!, 'active');
  await expect.poll(async () => (await statusOf(files))['state'], within).toBe('DEPLOYED');
  // A busy machine may miss a heartbeat, which is told until the next one.
  await expect.poll(async () => (await cluster())['conditions'], within).toBeUndefined();
});

test.skipIf(isLanding)('built images travel by a registry, which is required on several nodes', async () => {
  git.commit('shop', 'The first version', shellSource('echo built; exec sleep 600\n'));
  const body = { name: 'shop', git_repository: { url: git.url('shop') }, cpu: 100, memory: 64, healthchecks: {} };
  const deploy = async (
    { call }: SpawnedPlatform,
    environment: string,
  ): Promise<{ id: string; lines: () => Promise<Json[]> }> => {
    const id = String((await call('POST', `/environment/${environment}/application`, body))['id']);
    await call('POST', `/application/${id}/deploy`, {});
    await expect
      .poll(async () => (await call('GET', `/application/${id}/status`))['state'], within)
      .toMatch(/^(?:DEPLOYED|RUNNING|.*_ERROR)$/);
    return { id, lines: async () => rowsOf(await call('GET', `/application/${id}/log`)) };
  };
  const refused = await (await deploy(platform, environmentId)).lines();
  expect(dataWith(conditionsIn(refused), 'IMAGE_ON_ONE_NODE')).toEqual([{ nodes: ['node-2'] }]);
  expect(JSON.stringify(refused)).not.toContain('Fetching');

  const registry = await startTestRegistry(true, testAddress);
  const passwordFile = join(platform.dataDir, 'registry.password');
  await writeFile(passwordFile, registryUser.password);
  const other = await prepareSpawnedPlatform(
    { engine: { address: swarm.hosts[0]!.socket }, registry: swarm.registry },
    {
      clusters: { local: { engine: swarm.hosts[0]!.socket, build_registry: `${registry.host}/built` } },
      git: { [git.host]: { private: true } },
      registries: {
        tests: { url: `http://${swarm.registry.host}` },
        built: { url: `http://${registry.host}`, username: registryUser.username, password_file: passwordFile },
      },
    },
  );
  try {
    await other.start();
    // The other node has to get the image by itself.
    await swarm.setAvailability(swarm.hosts[0]!, 'drain');
    const { id, lines } = await deploy(other, (await other.createEnvironment()).environmentId);
    expect((await lines()).map(({ message }) => message)).toContain('built');
    const [task] = await listDockerTasks(swarm.hosts[0]!.docker, {
      service: [`infra-${id}`],
      'desired-state': ['running'],
    });
    expect(task).toMatchObject({ NodeID: await swarm.hosts[1]!.nodeId(), Status: { State: 'running' } });
    expect(task!.Spec.ContainerSpec.Image).toMatch(new RegExp(`^${registry.host}/built/.*@sha256:[0-9a-f]{64}$`));
    expect(task!.Spec.Placement?.Constraints ?? []).toEqual([]);
    await other.call('DELETE', `/application/${id}`);
    await expect.poll(() => listDockerTasks(swarm.hosts[0]!.docker, { name: [`infra-${id}`] }), within).toEqual([]);
  } finally {
    await swarm.setAvailability(swarm.hosts[0]!, 'active');
    await other.end();
    await registry.end();
  }
});

test('a node that is lost is told; what ran on it runs elsewhere, and its status and log say why', async () => {
  await expect
    .poll(async () => (await nodes()).reduce((sum, { instances }) => sum + Number(instances), 0), within)
    .toBe(3);
  expect(alerts).toEqual([]);
  await swarm.hosts[1]!.kill();
  await expect
    .poll(async () => (await nodes()).map(({ state, instances }) => [state, instances]), within)
    .toEqual([
      ['READY', 3],
      ['DOWN', 0],
    ]);
  expect((await cluster())['conditions']).toMatchObject([
    { reason: 'NODE_DOWN', node: 'node-2', details: { waiting: [] } },
  ]);
  await expect
    .poll(() => statusOf(web), within)
    .toMatchObject({
      state: 'DEPLOYED',
      running: { instances: 2, restarts: expect.toSatisfy((count: number) => count >= 2) as number },
    });
  const cause = { reason: 'LOST_WITH_NODE', node: 'node-2', since: expect.stringMatching(/Z$/) as unknown };
  expect(runningConditions(await statusOf(web))).toMatchObject([{ reason: 'CRASHED', details: { cause } }]);
  const lines = rowsOf(await platform.call('GET', `/container/${web}/log`));
  expect(dataWith(conditionsIn(lines), 'INSTANCE_LOST')).toMatchObject([{ cause }, { cause }]);
  // That it says since when shows that the engine wasn't asked: it would wait five seconds for the log of a lost node.
  expect(
    lines.filter(({ message }) =>
      /^The log of web-\d-\w+ can't be read: .*\bnode-2\b.* since \d/.test(String(message)),
    ),
  ).toHaveLength(2);
  await expect.poll(() => statusOf(files), within).toMatchObject({ state: 'DEPLOYED' });
  // Measured every twenty seconds, and evaluated every ten.
  await expect
    .poll(() => alerts, within)
    .toEqual([expect.stringMatching(/^Alert: node-is-lost \(MEDIUM\)[^]*infra_node_ready: the node node-2: 0$/)]);
});
