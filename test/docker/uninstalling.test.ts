import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createDockerNetwork,
  createDockerService,
  createDockerVolume,
  dockerInfo,
  listDockerImages,
} from '../../src/platform/runtime/docker/api/index.ts';
import { commandsOfPage } from '../docs/pages.ts';
import { shellSource } from '../support/docker/applications.ts';
import { scriptContainer } from '../support/docker/docker-platform.ts';
import { everythingOn } from '../support/docker/foreign-objects.ts';
import { startTestHosts, type TestHosts } from '../support/docker/hosts.ts';
import { leftOnEngine } from '../support/docker/left-on-engine.ts';
import { prepareSpawnedPlatform, type SpawnedPlatform } from '../support/docker/spawned-platform.ts';
import type { TestHost } from '../support/docker/test-host.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import type { Json } from '../support/test-platform.ts';

const patience = { timeout: 240_000, interval: 300 };

/** The commands of the page for engines, in its order. The last one ends the swarm. */
const commands = commandsOfPage('docs/uninstalling.md')
  .map(({ text }) => text)
  .filter((text) => /^docker (?!compose)/.test(text));

let swarm: TestHosts;
let git: GitServer;
let platform: SpawnedPlatform;

beforeAll(async () => {
  git = await startGitServer();
  swarm = await startTestHosts({ managers: 2, workers: 0 });
  const [shell, registry, proxy, agent, postgres] = [
    await swarm.publish('shell'),
    await swarm.publish('registry'),
    await swarm.publish('proxy'),
    await swarm.publish('node'),
    await swarm.publish('postgres'),
  ];
  const { docker, socket } = swarm.hosts[0]!;
  await createDockerVolume(docker, 'of-somebody-else', {});
  await createDockerNetwork(docker, { Name: 'of-somebody-else', Driver: 'overlay' });
  await createDockerService(docker, {
    Name: 'of-somebody-else',
    TaskTemplate: { ContainerSpec: { Image: shell, Command: ['sleep', '3600'], Init: true } },
    Mode: { Replicated: { Replicas: 1 } },
  });
  platform = await prepareSpawnedPlatform(
    { engine: { address: socket }, registry: swarm.registry },
    {
      clusters: {
        local: { engine: socket, registry: { image: registry }, proxy: { image: proxy }, agent: { image: agent } },
      },
      images: { postgresql: postgres },
      git: { [git.host]: { private: true } },
    },
  );
});
afterAll(async () => {
  await platform?.end();
  await swarm?.end();
  await git?.close();
});

const unlabelled = async ({ docker }: TestHost): Promise<string[]> =>
  (await everythingOn(docker)).filter((name) => !name.startsWith('image '));

/** The names of images that a platform built. */
const builtOn = async ({ docker }: TestHost): Promise<string[]> =>
  (await listDockerImages(docker))
    .flatMap(({ RepoTags: tags, RepoDigests: digests }) => [...(tags ?? []), ...(digests ?? [])])
    .filter((name) => /(?:^|\/)infra-mcp-[0-9a-f]{8}-/.test(name));

/** Gives a command as a reader would who is at the host, and agrees. */
const give = ({ socket }: TestHost, command: string) =>
  spawnSync('sh', ['-c', command], { encoding: 'utf8', input: 'y\n', env: { ...process.env, DOCKER_HOST: socket } });

/** Deploys a service of each kind, on both nodes: with a volume, a public port, a database and a built image. */
async function deployEverything(): Promise<void> {
  const { call } = platform;
  const { environmentId, registryId } = await platform.createEnvironment();
  git.commit('shop', 'first', shellSource('exec sleep 3600\n'));
  const create = async (kind: string, body: Json): Promise<string> =>
    `/${kind}/${String((await call('POST', `/environment/${environmentId}/${kind}`, body))['id'])}`;
  const services = [
    await create('application', {
      name: 'web',
      git_repository: { url: git.url('shop') },
      cpu: 100,
      memory: 64,
      min_running_instances: 2,
      max_running_instances: 2,
      healthchecks: {},
    }),
    await create('container', {
      name: 'page',
      ...scriptContainer(registryId, 'exec httpd -f -p 8080 -h /', { image_name: 'shell' }),
      ports: [{ internal_port: 8080, external_port: 443, protocol: 'HTTP', publicly_accessible: true }],
      storage: [{ type: 'FAST_SSD', size: 1, mount_point: '/kept' }],
    }),
    await create('database', {
      name: 'records',
      type: 'POSTGRESQL',
      version: '15',
      mode: 'CONTAINER',
      cpu: 250,
      memory: 256,
      storage: 1,
    }),
  ];
  for (const service of services) await call('POST', `${service}/deploy`);
  for (const service of services)
    await expect
      .poll(async () => (await call('GET', `${service}/status`))['state'], patience)
      .toMatch(/^(?:DEPLOYED|RUNNING)$/);
}

test('the commands of the page remove from all nodes what a platform has made, and nothing else', async () => {
  const { hosts } = swarm;
  const manager = hosts[0]!;
  const before = await Promise.all(hosts.map(unlabelled));
  await platform.start();
  await deployEverything();
  await platform.kill();
  const made = (await leftOnEngine(manager.docker)).map((name) => name.split(' ')[0]);
  expect(new Set(made)).toEqual(new Set(['service', 'secret', 'config', 'network', 'volume', 'container', 'image']));
  expect((await Promise.all(hosts.map(builtOn))).flat()).not.toEqual([]);

  const leave = commands.at(-1)!;
  expect(leave).toContain('swarm leave');
  const said = hosts.flatMap((host) =>
    commands.slice(0, -1).map((command) => `${host.name}: ${command}\n${give(host, command).stderr}`),
  );
  // Networks of a node go when its last instance has ended.
  for (const host of hosts) {
    const options = { ...patience, message: said.join('\n') };
    await expect.poll(() => leftOnEngine(host.docker), options).toEqual([]);
    expect(await builtOn(host), said.join('\n')).toEqual([]);
  }
  expect(await Promise.all(hosts.map(unlabelled))).toEqual(before);

  for (const host of hosts.toReversed()) {
    expect(give(host, leave)).toMatchObject({ status: 0 });
    expect((await dockerInfo(host.docker)).Swarm.LocalNodeState).toBe('inactive');
  }
});
