import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Condition, conditionChain } from '../../src/contract/index.ts';
import { listDockerContainers, listDockerTasks, type DockerTask } from '../../src/platform/runtime/docker/api/index.ts';
import { conditionsIn, dataWith, runningConditions } from '../support/conditions.ts';
import { scriptContainer } from '../support/docker/docker-platform.ts';
import { forbidRegistry, permitRegistry, testAddress } from '../support/docker/host-network.ts';
import { startTestHosts, type TestHosts } from '../support/docker/hosts.ts';
import { scriptJob } from '../support/docker/script-job.ts';
import { prepareSpawnedPlatform, type SpawnedPlatform } from '../support/docker/spawned-platform.ts';
import type { TestHost } from '../support/docker/test-host.ts';
import type { Json } from '../support/test-platform.ts';

let swarm: TestHosts;
let platform: SpawnedPlatform;
let environmentId: string;
let registryId: string;

beforeAll(async () => {
  swarm = await startTestHosts({ workers: 2, diskMegabytes: 400 });
  await swarm.publish('shell');
  platform = await prepareSpawnedPlatform({ engine: { address: swarm.hosts[0]!.socket }, registry: swarm.registry });
  await platform.start();
  ({ environmentId, registryId } = await platform.createEnvironment());
  // Everything runs on the workers.
  await swarm.setAvailability(swarm.hosts[0]!, 'drain');
});
afterAll(async () => {
  await platform?.end();
  await swarm?.end();
});
afterEach(async () => {
  for (const host of swarm.hosts) {
    if (killed.delete(host)) await host.start();
    if (separated.delete(host)) host.reconnect();
  }
  await swarm.nodesAre({ 'node-2': 'ready', 'node-3': 'ready' });
});
const killed = new Set<TestHost>();
const separated = new Set<TestHost>();

function cutOff(host: TestHost): void {
  separated.add(host);
  host.cutOff();
}

async function kill(host: TestHost): Promise<void> {
  killed.add(host);
  await host.kill();
}

const patience = { timeout: 150_000, interval: 200 };

interface Service {
  readonly kind: 'container' | 'job';
  readonly id: string;
}

const create = async (kind: Service['kind'], body: Json): Promise<Service> => ({
  kind,
  id: String((await platform.call('POST', `/environment/${environmentId}/${kind}`, body))['id']),
});
const container = (name: string, script: string, more: Json = {}): Promise<Service> =>
  create('container', { name, ...scriptContainer(registryId, script, more) });
const deploy = ({ kind, id }: Service): Promise<Json> => platform.call('POST', `/${kind}/${id}/deploy`, {});
const stateOf = async ({ kind, id }: Service): Promise<unknown> =>
  (await platform.call('GET', `/${kind}/${id}/status`))['state'];
const linesOf = ({ kind, id }: Service): Promise<Json[]> => platform.rows(`/${kind}/${id}/log`);
const messagesOf = async (service: Service): Promise<string[]> =>
  (await linesOf(service)).map(({ message }) => String(message));
const conditionsOf = async (service: Service) => conditionsIn(await linesOf(service));

/** The instances of a service that are to run. */
const tasksOf = ({ id }: Service): Promise<readonly DockerTask[]> =>
  listDockerTasks(swarm.hosts[0]!.docker, { service: [`infra-${id}`], 'desired-state': ['running'] });

/** The worker with an instance in a state, once there is one. */
async function workerWith(service: Service, state: DockerTask['Status']['State']): Promise<TestHost> {
  let found: TestHost | undefined;
  await expect
    .poll(async () => {
      const task = (await tasksOf(service).catch(() => [])).find(({ Status }) => Status.State === state);
      const ids = await Promise.all(swarm.hosts.map((host) => host.nodeId()));
      found = task && swarm.hosts[ids.indexOf(task.NodeID!)];
      return (
        found?.name ??
        `no instance is ${state}: ${String(await stateOf(service))}, ${(await messagesOf(service)).slice(-20).join(' | ')}`
      );
    }, patience)
    .toMatch(/^node-[23]$/);
  return found!;
}

const two = { min_running_instances: 2, max_running_instances: 2 };
const readiness = {
  readiness_probe: {
    type: { tcp: { port: 8080 } },
    initial_delay_seconds: 0,
    period_seconds: 1,
    timeout_seconds: 1,
    success_threshold: 1,
    failure_threshold: 60,
  },
};
const twoReady = { ...two, healthchecks: readiness };

test('a rollout goes on when the node is lost on which an instance was just starting', async () => {
  const web = await container('web', 'exec httpd -f -p 8080 -h /', twoReady);
  await deploy(web);
  await expect.poll(() => stateOf(web), patience).toBe('DEPLOYED');
  await platform.call('PUT', `/container/${web.id}`, {
    name: 'web',
    ...scriptContainer(registryId, 'sleep 3; exec httpd -f -p 8080 -h /', twoReady),
  });
  await deploy(web);
  const host = await workerWith(web, 'starting');
  await kill(host);
  await expect.poll(() => stateOf(web), patience).toBe('DEPLOYED');
  expect((await tasksOf(web)).filter(({ Status }) => Status.State === 'running')).toHaveLength(2);
  expect(dataWith(await conditionsOf(web), 'INSTANCE_LOST')).toContainEqual(
    expect.objectContaining({
      cause: expect.objectContaining({ reason: 'LOST_WITH_NODE', node: host.name }) as unknown,
    }),
  );
}, 400_000);

test('a run of a job on a node that is cut off goes on there, and no other attempt begins, although it may be tried again', async () => {
  let runs = 0;
  const reports = createServer((_, response) => {
    runs += 1;
    response.end(runs === 1 ? 'stay\n' : 'noted\n');
  }).listen(0, '0.0.0.0');
  await once(reports, 'listening');
  onTestFinished(() => void reports.close());
  const script = `[ "$(wget -q -O - http://${testAddress}:${(reports.address() as AddressInfo).port}/)" = noted ] || exec sleep 1000`;
  const job = await create('job', {
    name: 'job',
    ...scriptJob(registryId, script),
    max_nb_restart: 2,
    max_duration_seconds: 600,
  });
  await deploy(job);
  const host = await workerWith(job, 'running');
  await expect.poll(() => runs, patience).toBe(1);
  cutOff(host);
  await expect.poll(() => stateOf(job), patience).toBe('DEPLOYMENT_ERROR');
  expect(dataWith(await conditionsOf(job), 'RUN_LOST')).toMatchObject([
    { cause: { reason: 'LOST_WITH_NODE', node: host.name, since: expect.stringMatching(/Z$/) } },
  ]);
  expect(
    await listDockerContainers(host.docker, { label: [`io.infra-mcp.service=${job.id}`], status: ['running'] }),
  ).toHaveLength(1);
  expect(runs).toBe(1);

  // Somebody asks for another run nevertheless. It says what can't be seen.
  await deploy(job);
  await expect.poll(() => runs, patience).toBe(2);
  expect((await messagesOf(job)).join('\n')).toMatch(
    new RegExp(
      `^An earlier run may go on beside this one, which can't be seen\\. .*\\bjob-1-\\w+.*\\b${host.name}\\b`,
      'm',
    ),
  );
}, 400_000);

const running = async (host: TestHost, { id }: Service): Promise<number> =>
  (await listDockerContainers(host.docker, { label: [`io.infra-mcp.service=${id}`], status: ['running'] })).length;
const runningOf = async ({ kind, id }: Service) =>
  runningConditions(await platform.call('GET', `/${kind}/${id}/status`));

test('a service has stopped, or is deleted, when its instances on other nodes have ended; what may still run on a lost node is told while it is lost', async () => {
  const slow = await container('slow', 'trap "sleep 6; exit 0" TERM; while true; do sleep 0.2; done');
  await deploy(slow);
  const host = await workerWith(slow, 'running');
  await expect.poll(() => stateOf(slow), patience).toBe('DEPLOYED');
  await platform.call('POST', `/container/${slow.id}/stop`);
  await expect.poll(() => stateOf(slow), { ...patience, interval: 50 }).toBe('STOPPED');
  expect(await running(host, slow)).toBe(0);
  expect((await messagesOf(slow)).join('\n')).toMatch(
    /^Waiting until these instances on other nodes have ended: slow-1-\w+$/m,
  );

  await deploy(slow);
  const other = await workerWith(slow, 'running');
  await expect.poll(() => stateOf(slow), patience).toBe('DEPLOYED');
  cutOff(other);
  await platform.call('POST', `/container/${slow.id}/stop`);
  await expect.poll(() => stateOf(slow), patience).toBe('STOPPED');
  expect(await running(other, slow)).toBe(1);
  await expect
    .poll(() => runningOf(slow), patience)
    .toMatchObject([
      {
        reason: 'INSTANCES_MAY_RUN',
        details: { instances: [{ instance: expect.stringMatching(/^slow-1-\w+$/), node: other.name }] },
      },
    ]);
  const [{ message: lost }] = (await runningOf(slow)) as [Condition];
  expect(await messagesOf(slow)).toEqual(
    expect.arrayContaining([
      'No instance runs any more on a node that answers; volumes and configuration are kept',
      lost,
    ]),
  );
  other.reconnect();
  await expect.poll(() => running(other, slow), patience).toBe(0);
  await expect.poll(() => runningOf(slow), patience).toEqual([]);

  await deploy(slow);
  const last = await workerWith(slow, 'running');
  await expect.poll(() => stateOf(slow), patience).toBe('DEPLOYED');
  await platform.call('DELETE', `/container/${slow.id}`);
  await expect
    .poll(async () => platform.call('GET', `/container/${slow.id}`).then(() => 'there', String), {
      ...patience,
      interval: 50,
    })
    .toContain('(404)');
  expect(await running(last, slow)).toBe(0);
}, 400_000);

test('a node that does not reach the registry is told, with the registry', async () => {
  await swarm.publish('shell', 'other');
  const host = swarm.hosts[2]!;
  const web = await container('other', 'exec sleep 1000', { image_name: 'other', ...two });
  forbidRegistry(host.address, swarm.registry.host);
  await deploy(web);
  await expect.poll(() => stateOf(web), patience).toBe('DEPLOYMENT_ERROR');
  permitRegistry(host.address, swarm.registry.host);
  const { cause } = dataWith(await conditionsOf(web), 'INSTANCES_FAILED').at(-1)!;
  expect(cause).toMatchObject({
    reason: 'PULL_FAILED',
    node: 'node-3',
    details: { said: expect.stringContaining(`${swarm.registry.host}/other@`), registry: swarm.registry.host },
  });
  // The registry has it, so it is the node that does not reach it.
  expect(cause.details).not.toHaveProperty('registrySaid');
}, 400_000);

test('a node whose disk is full is told', async () => {
  const host = swarm.hosts[2]!;
  await host.fillDisk();
  const web = await container('full', 'exec sleep 1000', two);
  await deploy(web);
  await expect.poll(() => stateOf(web), patience).toBe('DEPLOYMENT_ERROR');
  await host.freeDisk();
  const causes = (await conditionsOf(web)).flatMap((each) => conditionChain(each));
  expect(causes).toContainEqual(
    expect.objectContaining({
      node: 'node-3',
      details: expect.objectContaining({ said: expect.stringContaining('no space left on device') }) as unknown,
    }),
  );
}, 400_000);
