import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { inspectDockerNetwork, listDockerContainers } from '../../src/platform/runtime/docker/api/index.ts';
import { type DockerPlatform, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { linksOnHost } from '../support/docker/links-on-host.ts';

let docker: DockerPlatform;
beforeAll(async () => {
  docker = await startDockerPlatform();
  await docker.publish('shell', '1');
});
afterAll(async () => docker?.end());

const patience = { timeout: 120_000, interval: 250 };

/** The network of the environment, as engines name its link. */
async function networkOfEnvironment() {
  const { Id: id, Options: options } = await inspectDockerNetwork(
    docker.engine.docker,
    `infra-${docker.environmentId}`,
  );
  const number = Number(options!['com.docker.network.driver.overlay.vxlanid_list']);
  return { link: `vx-${number.toString(16).padStart(6, '0')}-${id.slice(0, 5)}`, number };
}

/**
 * Makes a link, as an engine does just before it moves it into a namespace of the network. An engine lets go of its own
 * a moment after the last instance has ended.
 * @param number of the network
 */
async function leaveLink(link: string, number: number): Promise<void> {
  onTestFinished(() => void spawnSync('ip', ['link', 'delete', link]));
  const add = () =>
    spawnSync('ip', ['link', 'add', link, 'type', 'vxlan', 'id', String(number), 'dstport', '4789'], {
      encoding: 'utf8',
    }).stderr;
  await expect.poll(add, patience).toBe('');
}

/** Ends the engine, and starts it again with a link in its way. */
async function restartEngine(link: string, number: number): Promise<void> {
  await docker.engine.stop();
  // Engines that are killed while they start again have no namespaces of networks any more.
  const namespaces = join(docker.engine.directory, 'exec/netns');
  for (const name of readdirSync(namespaces)) spawnSync('umount', [join(namespaces, name)]);
  await leaveLink(link, number);
  await docker.engine.start();
}

const stateOf = async (id: string) =>
  (await docker.platform.must('get_container_status', { container_id: id }))['state'];
const removers = async () =>
  (await listDockerContainers(docker.engine.docker)).filter(({ Names: names }) =>
    names.some((name) => name.includes('remove-links')),
  );

test('a rollout goes on when the link is removed that a killed engine left in its way', async () => {
  const id = await docker.container('rolled', 'echo up; exec sleep 1000');
  expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYED' });
  expect(await docker.act('stop', id)).toMatchObject({ state: 'STOPPED' });
  const { link, number } = await networkOfEnvironment();
  await leaveLink(link, number);
  expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYED' });
  expect((await docker.messages(id)).join('\n')).toContain(`ip link delete ${link}`);
  expect(linksOnHost()).toEqual([]);
  expect(await removers()).toEqual([]);
  await docker.act('delete', id);
});

test('what runs comes back by itself after an engine that was killed at the wrong moment', async () => {
  const id = await docker.container('steady', 'echo up; exec sleep 1000');
  expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYED' });
  const { link, number } = await networkOfEnvironment();
  await restartEngine(link, number);
  await expect.poll(async () => (await docker.messages(id)).join('\n'), patience).toContain(`ip link delete ${link}`);
  await expect.poll(() => stateOf(id), patience).toBe('DEPLOYED');
  expect(linksOnHost()).toEqual([]);
  await docker.act('delete', id);
});

test('a link of somebody else that is in the way fails the rollout in words that tell what to do, and stays', async () => {
  const id = await docker.container('foreign', 'echo up; exec sleep 1000');
  expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYED' });
  expect(await docker.act('stop', id)).toMatchObject({ state: 'STOPPED' });
  const { number } = await networkOfEnvironment();
  await leaveLink('another', number);
  expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
  expect((await docker.messages(id)).findLast((message) => message.startsWith('No instance'))).toMatch(
    /run this as root on the host of its node: ip link delete vx-/,
  );
  expect(linksOnHost()).toEqual(['another']);
  expect(await removers()).toEqual([]);
});
