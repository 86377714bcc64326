import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  inspectDockerNode,
  inspectDockerService,
  inspectDockerSwarm,
  listDockerNodes,
  listDockerTasks,
  listDockerVolumes,
  updateDockerSwarm,
} from '../../src/platform/runtime/docker/api/index.ts';
import { commandLine, runProgram } from '../support/built-program.ts';
import { conditionsIn, dataWith, runningConditions } from '../support/conditions.ts';
import { scriptContainer } from '../support/docker/docker-platform.ts';
import { failOver } from '../support/docker/fail-over.ts';
import { startTestHosts, type TestHosts } from '../support/docker/hosts.ts';
import { askProxy, keepAsking } from '../support/docker/public-requests.ts';
import { spawnProgram } from '../support/started-program.ts';
import { prepareSpawnedPlatform, type SpawnedPlatform } from '../support/docker/spawned-platform.ts';
import { buildProxyImage, proxyImage } from '../support/docker/test-images.ts';
import { type Json, rowsOf } from '../support/test-platform.ts';

const port = 8880;
let swarm: TestHosts;
let platform: SpawnedPlatform;
let environmentId: string;
let registryId: string;

beforeAll(async () => {
  // The heartbeat of a new swarm.
  swarm = await startTestHosts({ managers: 1, workers: 2, heartbeat: 5 });
  const [first, second, third] = swarm.hosts;
  await Promise.all([swarm.publish('shell'), buildProxyImage(first!.docker)]);
  for (const host of [second!, third!]) await swarm.label(host, { disk: 'ssd' });
  platform = await prepareSpawnedPlatform(
    { engine: { address: first!.socket }, registry: swarm.registry },
    {
      clusters: {
        local: {
          engine: first!.socket,
          failover: 'fast',
          proxy: { bind: first!.address, http_port: port, image: proxyImage },
          placement: {
            rules: [
              { environment: 'placed', mode: 'STAGING', constraints: ['node.labels.disk==ssd'] },
              { environment: 'nowhere', constraints: ['node.labels.disk==nvme', 'node.role==worker'] },
            ],
          },
        },
      },
    },
  );
  await platform.start();
  ({ environmentId, registryId } = await platform.createEnvironment('placed'));
});
afterAll(async () => {
  await platform?.end();
  await swarm?.end();
});

const within = { interval: 300 };

/** A page that says who answers, to GET and to POST. */
const page =
  "mkdir -p /www/cgi-bin; printf '#!/bin/sh\\necho; echo here\\n' > /www/cgi-bin/say; chmod +x /www/cgi-bin/say; exec httpd -f -p 8080 -h /www";
/** Each request starts a process, which needs more of a slow machine's CPU than these services usually may use. */
const web = { cpu: 500, ports: [{ internal_port: 8080, publicly_accessible: true }] };

const create = async (name: string, more: Json = {}, environment = environmentId): Promise<string> =>
  String(
    (
      await platform.call('POST', `/environment/${environment}/container`, {
        name,
        ...scriptContainer(registryId, page, more),
      })
    )['id'],
  );

const statusOf = (id: string): Promise<Json> => platform.call('GET', `/container/${id}/status`);

const linesOf = async (id: string): Promise<Json[]> => rowsOf(await platform.call('GET', `/container/${id}/log`));
const messagesOf = async (id: string): Promise<string> =>
  (await linesOf(id)).map(({ message }) => String(message)).join('\n');
const conditionsOf = async (id: string) => conditionsIn(await linesOf(id));

/** Deploys a service and waits for the end. */
async function deploy(id: string): Promise<unknown> {
  await platform.call('POST', `/container/${id}/deploy`, { image_tag: '1' });
  await expect.poll(async () => (await statusOf(id))['state'], within).toMatch(/^(?:DEPLOYED|.*_ERROR)$/);
  return (await statusOf(id))['state'];
}

/** The nodes on which instances of a service run, by name. */
async function nodesWith(id: string): Promise<string[]> {
  const { docker } = swarm.hosts[0]!;
  const names = new Map((await listDockerNodes(docker)).map(({ ID, Description }) => [ID, Description.Hostname]));
  const tasks = await listDockerTasks(docker, { service: [`infra-${id}`], 'desired-state': ['running'] });
  return tasks
    .filter(({ Status }) => Status.State === 'running')
    .map(({ NodeID }) => names.get(NodeID!)!)
    .toSorted();
}

const asking = (name: string) => ({
  host: `${name}-placed.localhost`,
  address: swarm.hosts[0]!.address,
  port,
  path: '/cgi-bin/say',
});

const drain = (...args: readonly string[]) =>
  runProgram(['node', 'drain', ...args, '--json', '--engine', swarm.hosts[0]!.socket]);

const two = { min_running_instances: 2, max_running_instances: 2 };
let pair: string;

test('instances run where the placement rules allow it, each on a node of its own; labels are told', async () => {
  pair = await create('pair', { ...web, ...two });
  expect(await deploy(pair)).toBe('DEPLOYED');
  expect(await nodesWith(pair)).toEqual(['node-2', 'node-3']);
  const [organization] = await platform.rows('/organization');
  const [cluster] = await platform.rows(`/organization/${String(organization!['id'])}/cluster`);
  expect((cluster!['nodes'] as Json[]).map(({ name, labels }) => [name, labels])).toEqual([
    ['node-1', undefined],
    ['node-2', { disk: 'ssd' }],
    ['node-3', { disk: 'ssd' }],
  ]);
});

test('storage that is new comes to a node that the rules fit, and stays there', async () => {
  const kept = await create('kept', { storage: [{ type: 'FAST_SSD', size: 1, mount_point: '/data' }] });
  expect(await deploy(kept), await messagesOf(kept)).toBe('DEPLOYED');
  const [name] = await nodesWith(kept);
  expect(['node-2', 'node-3']).toContain(name);
  const host = swarm.hosts[Number(name!.slice(-1)) - 1]!;
  expect(await listDockerVolumes(host.docker, { label: [`io.infra-mcp.service=${kept}`] })).toHaveLength(1);
  expect(await deploy(kept)).toBe('DEPLOYED');
  expect(await nodesWith(kept)).toEqual([name]);
  await swarm.label(host, { disk: 'old' });
  expect(await deploy(kept)).toBe('DEPLOYMENT_ERROR');
  expect(dataWith(await conditionsOf(kept), 'NO_MATCHING_NODE')).toMatchObject([
    {
      asked: ['node.labels.disk==ssd'],
      lacking: [{ node: name, lacks: [{ label: 'disk', value: 'old' }] }],
      bound: { what: 'Its storage', nodes: [name] },
    },
  ]);
  await swarm.label(host, { disk: 'ssd' });
  // A node with it could not be drained.
  await platform.call('POST', `/container/${kept}/stop`);
  await expect.poll(async () => (await statusOf(kept))['state'], within).toBe('STOPPED');
  expect(await nodesWith(kept)).toEqual([]);
});

test('where no node fits, the deployment fails in words and changes nothing', async () => {
  const nowhere = (await platform.createEnvironment('nowhere')).environmentId;
  const lost = await create('lost', {}, nowhere);
  expect(await deploy(lost)).toBe('DEPLOYMENT_ERROR');
  expect(dataWith(await conditionsOf(lost), 'NO_MATCHING_NODE')).toMatchObject([
    {
      asked: ['node.labels.disk==nvme', 'node.role==worker'],
      lacking: [
        { node: 'node-1', lacks: [{ label: 'disk', value: '' }, { asked: 'node.role==worker' }] },
        { node: 'node-2', lacks: [{ label: 'disk', value: 'ssd' }] },
        { node: 'node-3', lacks: [{ label: 'disk', value: 'ssd' }] },
      ],
    },
  ]);
  await expect(inspectDockerService(swarm.hosts[0]!.docker, `infra-${lost}`)).rejects.toMatchObject({
    kind: 'not found',
  });
  const files = await create('files', { storage: [{ type: 'FAST_SSD', size: 1, mount_point: '/data' }] }, nowhere);
  expect(await deploy(files)).toBe('DEPLOYMENT_ERROR');
  expect(dataWith(await conditionsOf(files), 'NO_MATCHING_NODE')).toMatchObject([{ ending: 'no storage yet' }]);
});

test('instances that share a node when another one is back are told, and the next deployment spreads them without a failed request', async () => {
  const third = swarm.hosts[2]!;
  await swarm.setAvailability(third, 'drain');
  await expect.poll(() => nodesWith(pair), within).toEqual(['node-2', 'node-2']);
  await swarm.setAvailability(third, 'active');
  await expect
    .poll(async () => runningConditions(await statusOf(pair)), within)
    .toMatchObject([
      { reason: 'INSTANCES_CROWDED', details: { instances: 2, nodes: ['node-2'], free: ['node-3'], isMoving: false } },
    ]);
  const requests = keepAsking(asking('pair'));
  expect(await deploy(pair)).toBe('DEPLOYED');
  expect(await nodesWith(pair)).toEqual(['node-2', 'node-3']);
  expect((await requests.end()).failures).toEqual([]);
  await expect.poll(async () => (await statusOf(pair))['running'], within).toMatchObject({ instances: 2, restarts: 0 });
  expect(((await statusOf(pair))['running'] as Json)['warnings'] ?? []).toEqual([]);
});

/** Puts both instances of the pair on node-2, with node-3 ready for others. */
async function crowd(): Promise<void> {
  const third = swarm.hosts[2]!;
  await swarm.setAvailability(third, 'drain');
  await expect.poll(() => nodesWith(pair), within).toEqual(['node-2', 'node-2']);
  await swarm.setAvailability(third, 'active');
  // The engine's own way to drain is still ending the instance there.
  await delay(3000);
}

test('no request fails while a node is drained by the command, even if it has all instances', async () => {
  const second = swarm.hosts[1]!;
  await crowd();
  const requests = keepAsking(asking('pair'));
  const { code, stdout, stderr } = await drain('node-2');
  expect(stderr).toContain('1 service will leave node-2, each with its new instances first: pair.');
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ node: 'node-2', moved: ['pair'], ended: [], still_running: 0 });
  await delay(3000);
  const { sent, seconds, failures } = await requests.end();
  await swarm.setAvailability(second, 'active');
  console.log(
    `Drained with both instances on the node: ${failures.length} of ${sent} requests failed in ${seconds.toFixed(1)} s`,
  );
  // On a machine that is busy with other tests, the proxy may hear too late that an instance is going; it can send only
  // requests without a body again.
  expect(failures.filter((text) => text.includes('GET'))).toEqual([]);
  expect(failures.length, failures.join()).toBeLessThan(sent / 100);
  expect(await nodesWith(pair)).toEqual(['node-3', 'node-3']);
  const { Spec } = await inspectDockerService(swarm.hosts[0]!.docker, `infra-${pair}`);
  expect(Spec.TaskTemplate.Placement?.Constraints).toEqual(['node.labels.disk==ssd']);
  expect(await messagesOf(pair)).not.toContain('Somebody changed');
});

test("what can't move is told before anything is changed; a drain that is killed can be done again", async () => {
  const [first, second] = swarm.hosts as [TestHosts['hosts'][number], TestHosts['hosts'][number]];
  const other = (await platform.createEnvironment('anywhere')).environmentId;
  const files = await create('files', { storage: [{ type: 'FAST_SSD', size: 1, mount_point: '/data' }] }, other);
  expect(await deploy(files)).toBe('DEPLOYED');
  const refused = await drain('node-1');
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining("files can't run elsewhere, because its storage or its image is there."),
  ]);
  expect((await inspectDockerNode(first.docker, 'node-1')).Spec.Availability).toBe('active');
  expect((await drain('node-9')).stderr).toContain('The cluster has no node node-9. It has: node-1, node-2, node-3.');
  await deploy(pair);
  expect(await nodesWith(pair)).toEqual(['node-2', 'node-3']);
  const killed = spawnProgram(commandLine(['node', 'drain', 'node-2', '--engine', first.socket]));
  const service = () => inspectDockerService(first.docker, `infra-${pair}`);
  await expect
    .poll(async () => (await service()).Spec.TaskTemplate.Placement?.Constraints, { interval: 20 })
    .toContain(`node.id!=${await second.nodeId()}`);
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect((await inspectDockerNode(first.docker, 'node-2')).Spec.Availability).toBe('pause');
  expect((await drain('node-2')).code).toBe(0);
  expect((await inspectDockerNode(first.docker, 'node-2')).Spec.Availability).toBe('drain');
  expect((await service()).Spec.TaskTemplate.Placement?.Constraints).toEqual(['node.labels.disk==ssd']);
  expect(await nodesWith(pair)).toEqual(['node-3', 'node-3']);
  await swarm.setAvailability(second, 'active');
});

let single: string;

test('with fast failover, the only instance of a service runs elsewhere after its node lost its power, requests succeed again, and it is told why', async () => {
  expect((await inspectDockerSwarm(swarm.hosts[0]!.docker)).Spec.Dispatcher?.HeartbeatPeriod).toBe(1e9);
  single = await create('single', web);
  expect(await deploy(single)).toBe('DEPLOYED');
  const [name] = await nodesWith(single);
  const began = performance.now();
  // Requests wait for an instance for some seconds, so what is printed is when those that failed were sent.
  const failed: number[] = [];
  const send = async (): Promise<void> => {
    const at = (performance.now() - began) / 1000;
    if (
      !(await askProxy(asking('single')).then(
        ({ status }) => status === 200,
        () => false,
      ))
    )
      failed.push(at);
  };
  const sent: Promise<void>[] = [];
  const timer = setInterval(() => sent.push(send()), 200);
  // Further tests need it too.
  onTestFinished(async () => {
    await swarm.hosts.find((each) => each.name === name)!.start();
    await swarm.nodesAre({ [name!]: 'ready' });
  });
  await failOver(swarm, single, name!);
  await expect.poll(() => askProxy(asking('single')).catch(() => undefined), within).toMatchObject({ status: 200 });
  clearInterval(timer);
  await Promise.all(sent);
  console.log(
    `Requests failed that were sent after ${failed
      .toSorted((one, other) => one - other)
      .map((at) => at.toFixed(1))
      .join(', ')} s`,
  );
  await expect.poll(() => statusOf(single), within).toMatchObject({ state: 'DEPLOYED', running: { instances: 1 } });
  const cause = { reason: 'LOST_WITH_NODE', node: name };
  expect(runningConditions(await statusOf(single))).toMatchObject([{ reason: 'CRASHED', details: { cause } }]);
  expect(dataWith(await conditionsOf(single), 'INSTANCE_LOST')).toMatchObject([{ cause }]);
});

test('instances are spread over the values of a label, and not over nodes that have less to do', async () => {
  const [busy] = await nodesWith(single);
  const { clusters, ...rest } = JSON.parse(await readFile(platform.clustersFile, 'utf8')) as {
    clusters: { local: Json };
  };
  const { failover: _, ...local } = clusters.local;
  await platform.kill();
  await writeFile(
    platform.clustersFile,
    JSON.stringify({
      ...rest,
      clusters: { local: { ...local, placement: { ...(local['placement'] as Json), spread_over: 'zone' } } },
    }),
  );
  await platform.start();
  for (const host of swarm.hosts)
    await swarm.label(host, {
      ...(host !== swarm.hosts[0] && { disk: 'ssd' }),
      zone: host.name === busy ? 'one' : 'other',
    });
  const spread = await create('spread', two, (await platform.createEnvironment('zones')).environmentId);
  expect(await deploy(spread)).toBe('DEPLOYED');
  const nodes = await nodesWith(spread);
  expect(nodes).toHaveLength(2);
  expect(nodes.filter((each) => each === busy)).toHaveLength(1);
});

test('with the heartbeat of a new swarm, it runs elsewhere too', async () => {
  const { docker } = swarm.hosts[0]!;
  const { Version, Spec } = await inspectDockerSwarm(docker);
  // As the log of the platform says to do when the setting is left out.
  await updateDockerSwarm(docker, Version.Index, { ...Spec, Dispatcher: { ...Spec.Dispatcher, HeartbeatPeriod: 5e9 } });
  // The nodes are told with their next heartbeat.
  await delay(3000);
  const [name] = await nodesWith(single);
  await failOver(swarm, single, name!);
  expect((await inspectDockerSwarm(docker)).Spec.Dispatcher?.HeartbeatPeriod).toBe(5e9);
});
