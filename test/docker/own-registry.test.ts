import { get } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DoctorFinding } from '../../src/platform/common/index.ts';
import {
  inspectDockerDistribution,
  inspectDockerService,
  isDockerError,
  listDockerContainers,
  listDockerServices,
  listDockerTasks,
  updateDockerService,
} from '../../src/platform/runtime/docker/api/index.ts';
import { runProgram } from '../support/built-program.ts';
import { conditionsIn, dataWith } from '../support/conditions.ts';
import { shellSource } from '../support/docker/applications.ts';
import { waitUntil } from '../support/docker/docker-engine.ts';
import { scriptContainer } from '../support/docker/docker-platform.ts';
import { startTestHosts, type TestHosts } from '../support/docker/hosts.ts';
import { prepareSpawnedPlatform, type SpawnedPlatform } from '../support/docker/spawned-platform.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { type Json, rowsOf } from '../support/test-platform.ts';

let swarm: TestHosts;
let git: GitServer;
let platform: SpawnedPlatform;
let environmentId: string;

const host = '127.0.0.1:5055';
const patience = { timeout: 120_000, interval: 300 };

/** The platform is killed at these times after its start, in milliseconds, while it sets the registry up. */
const kills = [200, 1000];

const registryServices = async () => listDockerServices(swarm.hosts[0]!.docker, { label: ['io.infra-mcp.registry'] });

beforeAll(async () => {
  git = await startGitServer();
  swarm = await startTestHosts({ managers: 3, workers: 0 });
  const engine = swarm.hosts.map(({ socket }) => socket);
  const [registry, proxy] = [await swarm.publish('registry'), await swarm.publish('proxy')];
  platform = await prepareSpawnedPlatform(
    { engine: { address: swarm.hosts[0]!.socket }, registry: swarm.registry },
    {
      clusters: { local: { engine, registry: { image: registry }, proxy: { image: proxy } } },
      git: { [git.host]: { private: true } },
      registries: { tests: { url: `http://${swarm.registry.host}` }, inside: { url: `http://${host}` } },
    },
  );
  // So that images are kept by another machine than the one that builds.
  await swarm.setAvailability(swarm.hosts[0]!, 'drain');
});
afterAll(async () => {
  await platform?.end();
  await swarm?.end();
  await git?.close();
});

/** What the doctor says of the registry. */
async function diagnosis(): Promise<DoctorFinding | undefined> {
  const { stdout } = await runProgram([
    'doctor',
    'platform',
    '--json',
    '--clusters-file',
    join(platform.dataDir, '../clusters.yaml'),
  ]);
  return (JSON.parse(stdout) as { findings: DoctorFinding[] }).findings.find(
    ({ check }) => check === 'local: registry',
  );
}

/** Waits until the registry and its forwarders run, on so many nodes. */
const untilRunning = (nodes: number): Promise<void> =>
  waitUntil('the registry runs', async () => {
    const services = await registryServices();
    const running = await Promise.all(
      services.map(
        async ({ ID: id }) =>
          (await listDockerTasks(swarm.hosts[0]!.docker, { service: [id], 'desired-state': ['running'] })).filter(
            ({ Status }) => Status.State === 'running',
          ).length,
      ),
    );
    return services.length === 2 && Math.min(...running) === 1 && Math.max(...running) === nodes;
  });

const body = (name: string): Json => ({
  name,
  git_repository: { url: git.url(name) },
  cpu: 100,
  memory: 64,
  healthchecks: {},
});

const create = async (name: string): Promise<string> =>
  String((await platform.call('POST', `/environment/${environmentId}/application`, body(name)))['id']);

const deploy = (id: string): Promise<Json> => platform.call('POST', `/application/${id}/deploy`, {});

const stateOf = async (id: string): Promise<unknown> =>
  (await platform.call('GET', `/application/${id}/status`))['state'];

const messages = async (id: string): Promise<string> =>
  rowsOf(await platform.call('GET', `/application/${id}/log`))
    .map(({ message }) => String(message))
    .join('\n');

/** Its image has the label of what forwards to the registry, as a container of it then has too. */
const commit = (name: string, version: number): unknown =>
  git.commit(
    name,
    `Version ${version}`,
    shellSource(
      `echo version ${version}; exec sleep 600\n`,
      `LABEL io.infra-mcp.registry=forwarder\nRUN echo ${version} > /version && dd if=/dev/urandom of=/data bs=1k count=1000`,
    ),
  );

/** Deploys, and waits for the end. @returns the image that runs */
async function deployed(id: string, version: number): Promise<string> {
  await deploy(id);
  return untilDeployed(id, version);
}

/** Waits until a version runs. @returns its image */
async function untilDeployed(id: string, version: number, manager = swarm.hosts[0]!): Promise<string> {
  await expect.poll(() => messages(id), patience).toContain(`version ${version}`);
  await expect.poll(() => stateOf(id), patience).toMatch(/^(?:DEPLOYED|RUNNING|.*_ERROR)$/);
  expect(await stateOf(id), await messages(id)).toMatch(/^(?:DEPLOYED|RUNNING)$/);
  return (await inspectDockerService(manager.docker, `infra-${id}`)).Spec.TaskTemplate.ContainerSpec.Image;
}

/** What the registry answers a node that doesn't sign in. */
const withoutCredentials = async (node: number, image: string): Promise<string> => {
  try {
    await inspectDockerDistribution(swarm.hosts[node]!.docker, image);
    return 'there';
  } catch (error) {
    if (!isDockerError(error)) throw error;
    return error.reason;
  }
};

/** What the node with the images answers to somebody without the certificate, who trusts anybody. */
const answerWithoutCertificate = (address: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get({ host: address, port: 5056, path: '/v2/', rejectUnauthorized: false }, (response) =>
      resolve(response.statusCode),
    ).once('error', reject);
  });

/** Whether the registry has a file of an image. */
async function hasFile(path: string): Promise<boolean> {
  const { docker } = swarm.hosts[1]!;
  const [registry] = await listDockerContainers(docker, {
    label: ['io.infra-mcp.registry=registry'],
    status: ['running'],
  });
  return docker
    .request({
      method: 'HEAD',
      path: `/containers/${registry!.Id}/archive`,
      query: { path: `/var/lib/registry/docker/registry/v2/${path}` },
    })
    .then(
      () => true,
      (error: unknown) => {
        if (isDockerError(error, 'not found')) return false;
        throw error;
      },
    );
}

const digestOf = (image: string): string => image.slice(image.indexOf('@sha256:') + '@sha256:'.length);

/** Whether the registry has the space of an image in use. */
const isStored = (image: string): Promise<boolean> =>
  hasFile(`blobs/sha256/${digestOf(image).slice(0, 2)}/${digestOf(image)}/data`);

/** Whether the registry serves an image. */
const isServed = (image: string): Promise<boolean> =>
  hasFile(
    `repositories/${image.slice(host.length + 1, image.indexOf('@'))}/_manifests/revisions/sha256/${digestOf(image)}/link`,
  );

test('a platform that is killed while it sets its registry up goes on, and ends with one', async () => {
  expect(await diagnosis()).toMatchObject({
    state: 'good',
    says: `the platform's own is set up at ${host} of every node when the platform starts; its images are available`,
  });
  for (const wait of kills) {
    await platform.start();
    await delay(wait);
    await platform.kill();
  }
  await platform.start();
  await untilRunning(2);
  await swarm.setAvailability(swarm.hosts[0]!, 'active');
  await untilRunning(3);
  expect((await registryServices()).map(({ Spec }) => Spec.TaskTemplate.Placement?.Constraints)).toContainEqual([
    `node.id==${await swarm.hosts[1]!.nodeId()}`,
  ]);
  expect(await diagnosis()).toMatchObject({
    state: 'good',
    says: `the platform's own, at ${host} of every node; node-2 keeps its images`,
  });
  ({ environmentId } = await platform.createEnvironment());
});

let shop: string;
const images: string[] = [];

test('a built application runs on a node that gets its image from the registry, which lets nobody else in', async () => {
  commit('shop', 1);
  shop = await create('shop');
  for (const node of [0, 1]) await swarm.setAvailability(swarm.hosts[node]!, 'pause');
  images.push(await deployed(shop, 1));
  expect(images[0]).toMatch(new RegExp(`^${host}/infra-mcp-.*@sha256:[0-9a-f]{64}$`));
  const [task] = await listDockerTasks(swarm.hosts[0]!.docker, {
    service: [`infra-${shop}`],
    'desired-state': ['running'],
  });
  expect(task).toMatchObject({ NodeID: await swarm.hosts[2]!.nodeId(), Status: { State: 'running' } });
  for (const node of [0, 1]) await swarm.setAvailability(swarm.hosts[node]!, 'active');
  expect(await withoutCredentials(2, images[0]!)).toMatch(/unauthorized|no basic auth/);
  // Nor can somebody use the platform to get the image of another service.
  const inside = (
    await platform.rows(`/organization/${String((await platform.rows('/organization'))[0]!['id'])}/containerRegistry`)
  ).find((one) => one['name'] === 'inside')!;
  const name = images[0]!.slice(host.length + 1, images[0]!.indexOf('@'));
  const { id: thief } = await platform.call('POST', `/environment/${environmentId}/container`, {
    name: 'thief',
    ...scriptContainer(String(inside['id']), 'exec sleep 600', { image_name: name, tag: 'any' }),
  });
  await platform.call('POST', `/container/${String(thief)}/deploy`, {});
  await expect
    .poll(
      async () =>
        dataWith(conditionsIn(rowsOf(await platform.call('GET', `/container/${String(thief)}/log`))), 'PULL_DENIED'),
      patience,
    )
    .toMatchObject([{ registry: host }]);
  // Between the nodes only who has the certificate is let in.
  await expect(answerWithoutCertificate(swarm.hosts[1]!.address)).rejects.toThrow(
    /certificate required|bad certificate|ECONNRESET/i,
  );
});

test('while the machine with the images is away, what runs goes on, and deployments say so and wait', async () => {
  commit('shop', 2);
  await swarm.hosts[1]!.kill();
  await swarm.nodesAre({ 'node-2': 'down' });
  await deploy(shop);
  await expect
    .poll(() => messages(shop), patience)
    .toContain('Waiting for the registry of the cluster: the node node-2, which keeps its images, is down');
  expect((await messages(shop)).match(/Fetching the branch/g)).toHaveLength(1);
  expect(await diagnosis()).toMatchObject({
    state: 'bad',
    says: "the platform's own accepts no images: the node node-2, which keeps its images, is down",
  });
  await swarm.hosts[1]!.start();
  images.push(await untilDeployed(shop, 2));
  for (const image of images) expect([await isServed(image), await isStored(image)]).toEqual([true, true]);
});

test('it is cleaned while deployments go on, also if the platform is killed: what runs and the version before it stay', async () => {
  commit('shop', 3);
  images.push(await deployed(shop, 3));
  expect(await Promise.all(images.map(isServed))).toEqual([false, true, true]);
  const registry = (await registryServices()).find(({ Spec }) => Spec.Name.startsWith('infra-registry-'))!;
  // It was long ago.
  await updateDockerService(swarm.hosts[0]!.docker, registry.ID, registry.Version.Index, {
    ...registry.Spec,
    Labels: { ...registry.Spec.Labels, 'io.infra-mcp.cleaned': '0' },
  });
  commit('shop', 4);
  await deploy(shop);
  await waitUntil('it is being cleaned', async () =>
    (await registryServices()).some(({ Spec }) => Spec.Labels!['io.infra-mcp.read-only'] === 'true'),
  );
  await platform.kill();
  await platform.start();
  images.push(await untilDeployed(shop, 4));
  await waitUntil('it is cleaned', async () => {
    const labels = (await registryServices()).map(({ Spec }) => Spec.Labels!);
    return (
      labels.length === 2 &&
      labels.every((each) => each['io.infra-mcp.read-only'] === 'false' && each['io.infra-mcp.cleaned'] !== '0')
    );
  });
  await untilRunning(3);
  expect(await isStored(images[0]!)).toBe(false);
  expect(await Promise.all(images.slice(2).map(isStored))).toEqual([true, true]);
  // While it is cleaned nothing can be deleted: an older one may stay until the next deployment.
  expect([await isServed(images[0]!), ...(await Promise.all(images.slice(2).map(isServed)))]).toEqual([
    false,
    true,
    true,
  ]);
  await platform.call('DELETE', `/application/${shop}`);
  await expect.poll(async () => Promise.all(images.map(isServed)), patience).toEqual([false, false, false, false]);
});

test('when the manager that is asked is lost, images are built and kept by way of another one', async () => {
  const [first, , third] = swarm.hosts;
  commit('market', 1);
  const market = await create('market');
  await first!.kill();
  await deploy(market);
  const image = await untilDeployed(market, 1, third);
  expect(image).toMatch(new RegExp(`^${host}/infra-mcp-.*@sha256:[0-9a-f]{64}$`));
  expect([await isServed(image), await isStored(image)]).toEqual([true, true]);
});
