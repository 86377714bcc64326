import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  inspectDockerNode,
  listDockerContainers,
  listDockerNetworks,
  listDockerServices,
  listDockerTasks,
} from '../../src/platform/runtime/docker/api/index.ts';
import { dataWith, runningConditions } from '../support/conditions.ts';
import { scriptContainer } from '../support/docker/docker-platform.ts';
import { startTestHosts, type TestHosts } from '../support/docker/hosts.ts';
import { unusedFiles } from '../support/docker/left-on-engine.ts';
import { askProxy, keepAsking } from '../support/docker/public-requests.ts';
import { prepareSpawnedPlatform, type SpawnedPlatform } from '../support/docker/spawned-platform.ts';
import { buildProxyImage, proxyImage } from '../support/docker/test-images.ts';
import type { TestHost } from '../support/docker/test-host.ts';
import { type Json, rowsOf } from '../support/test-platform.ts';

const port = 8880;
let swarm: TestHosts;
let first: TestHost;
let second: TestHost;
let third: TestHost;
let platform: SpawnedPlatform;
let environmentId: string;
let registryId: string;

beforeAll(async () => {
  swarm = await startTestHosts({ managers: 3, workers: 0 });
  [first, second, third] = swarm.hosts as [TestHost, TestHost, TestHost];
  await Promise.all([swarm.publish('shell'), buildProxyImage(first.docker), buildProxyImage(second.docker)]);
  const engine = swarm.hosts.map(({ engine: address }) => address);
  const { ca, cert, key } = swarm.tls;
  platform = await prepareSpawnedPlatform(
    { engine: { address: engine[0]! }, registry: swarm.registry },
    {
      clusters: {
        local: { engine, tls: { ca, cert, key }, proxy: { bind: '0.0.0.0', http_port: port, image: proxyImage } },
      },
    },
  );
  await platform.start();
  ({ environmentId, registryId } = await platform.createEnvironment());
});
afterAll(async () => {
  await platform?.end();
  await swarm?.end();
});

const patience = { timeout: 120_000, interval: 500 };
const instances = 2;
const names = ['web', 'shop'];
let ids: readonly string[] = [];

const statusOf = (id: string): Promise<Json> => platform.call('GET', `/container/${id}/status`);
const states = (): Promise<unknown[]> => Promise.all(ids.map(async (id) => (await statusOf(id))['state']));
const allDeployed = () => expect.poll(states, patience).toEqual(names.map(() => 'DEPLOYED'));
const deploy = (): Promise<Json> => platform.call('POST', `/environment/${environmentId}/deploy`);
const messagesOf = async (id: string): Promise<string[]> =>
  rowsOf(await platform.call('GET', `/container/${id}/log`)).map(({ message }) => String(message));

/** A service with a page that says which version it is, and that takes a second to get ready. */
const body = (name: string, version: string): Json => ({
  name,
  ...scriptContainer(
    registryId,
    `sleep 1; mkdir -p /www/cgi-bin; printf '#!/bin/sh\\necho; echo ${version}\\n' > /www/cgi-bin/say; chmod +x /www/cgi-bin/say; exec httpd -f -p 8080 -h /www`,
    // Each request starts a process.
    { cpu: 500, min_running_instances: instances, max_running_instances: instances },
  ),
  ports: [{ internal_port: 8080, publicly_accessible: true }],
});

const host = 'web-staging.localhost';
/** A request for the first service to the proxy of a host. */
const requestTo = ({ address }: TestHost) => ({ address, host, port, path: '/cgi-bin/say' });
const askAt = (at: TestHost) => askProxy(requestTo(at));

/** The hosts on which the proxy runs. */
const proxies = async (): Promise<string[]> => {
  const found = await Promise.all(
    swarm.hosts.map(async ({ name, docker }) =>
      (await listDockerContainers(docker, { label: ['io.infra-mcp.proxy'] })).length > 0 ? [name] : [],
    ),
  );
  return found.flat();
};

async function label({ name }: TestHost, labels: Readonly<Record<string, string>>): Promise<void> {
  const { ID: id, Version, Spec } = await inspectDockerNode(first.docker, name);
  await first.docker.request({
    method: 'POST',
    path: `/nodes/${id}/update`,
    query: { version: Version.Index },
    json: { ...Spec, Labels: labels },
  });
}

test('the proxy runs on the nodes that are labelled for it; without a label, where the first engine is', async () => {
  ids = await Promise.all(
    names.map(async (name) =>
      String((await platform.call('POST', `/environment/${environmentId}/container`, body(name, 'one')))['id']),
    ),
  );
  await deploy();
  await allDeployed();
  expect(await proxies()).toEqual(['node-1']);
  expect(await askAt(first)).toMatchObject({ status: 200, text: 'one\n' });
  await label(second, { 'io.infra-mcp.proxy': 'true' });
  await expect.poll(proxies, patience).toEqual(['node-2']);
  await label(first, { 'io.infra-mcp.proxy': 'true' });
  await expect.poll(proxies, patience).toEqual(['node-1', 'node-2']);
  await expect.poll(() => askAt(first).catch(String), patience).toMatchObject({ status: 200, text: 'one\n' });
  expect(await askAt(second)).toMatchObject({ status: 200, text: 'one\n' });
  await platform.call('PUT', `/container/${ids[0]!}`, body(names[0]!, 'two'));
  const asking = [first, second].map((each) => keepAsking(requestTo(each)));
  await platform.call('POST', `/container/${ids[0]!}/deploy`, {});
  await expect.poll(async () => (await askAt(second)).text, patience).toBe('two\n');
  await allDeployed();
  for (const each of asking) {
    const { failures, texts } = await each.end();
    // What was sent to an instance and not answered can be sent again only if it has no body.
    expect(failures.filter((failure) => failure.includes('GET'))).toEqual([]);
    expect(texts).toEqual(['one\n', 'two\n']);
  }
  expect(await messagesOf(ids[0]!)).toContain(`http://${host}:${port} answers (on node-1, node-2)`);
});

test('a rollout ends well although the manager that is asked, the leader, loses its power; nothing is there twice, and the other proxy serves on', async () => {
  const runningTexts = async (): Promise<string[]> =>
    (await listDockerTasks(second.docker, { 'desired-state': ['running'] })).map(
      ({
        Spec: {
          ContainerSpec: { Args = [] },
        },
      }) => /echo; echo (\w+)/.exec(Args.join(' '))![1]!,
    );
  for (const [index, id] of ids.entries()) {
    await platform.call('PUT', `/container/${id}`, body(names[index]!, 'three'));
  }
  await deploy();
  // The first instances of the new versions are there, and others are not.
  await expect.poll(runningTexts, { interval: 50 }).toContain('three');
  const asking = keepAsking(requestTo(second));
  const began = performance.now();
  await first.kill();
  await allDeployed();
  console.log(`ended ${((performance.now() - began) / 1000).toFixed(1)} s after the manager was lost`);
  const { sent, failures } = await asking.end();
  console.log(
    `${sent} requests, failed: ${failures.length}, GET:  ${failures.filter((failure) => failure.includes('GET')).length}, last: ${failures.at(-1)}`,
  );
  expect(await askAt(second)).toMatchObject({ status: 200, text: 'three\n' });
  await expect.poll(runningTexts, patience).toEqual(Array.from({ length: names.length * instances }, () => 'three'));
  const filter = { label: ['io.infra-mcp.platform'] };
  expect((await listDockerServices(second.docker, filter)).map(({ Spec }) => Spec.Name).toSorted()).toEqual(
    ids.map((id) => `infra-${id}`).toSorted(),
  );
  expect(await listDockerNetworks(second.docker, filter)).toHaveLength(1);
  expect(await unusedFiles(second.docker)).toEqual([]);
  for (const id of ids) {
    expect((await messagesOf(id)).filter((line) => /failed|error/i.test(line))).toEqual([]);
  }
});

/** What is said of the first service as it runs. */
const conditions = async () => runningConditions(await statusOf(ids[0]!));

test('without a majority nothing is claimed of what runs, and that is said; with one it goes on by itself', async () => {
  await third.kill();
  await expect
    .poll(async () => dataWith(await conditions(), 'CLUSTER_UNREACHABLE'), patience)
    .toMatchObject([{ said: expect.stringContaining('no leader') }]);
  await deploy();
  // The proxy serves what instances are left, which may be none.
  expect([200, 502]).toContain((await askAt(second)).status);
  expect((await states()).join()).not.toMatch(/ERROR|UNAVAILABLE/);
  await third.start();
  await allDeployed();
  await expect.poll(conditions, patience).toEqual([]);
});
