import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listDockerServices } from '../../src/platform/runtime/docker/api/index.ts';
import { type DockerPlatform, scriptContainer, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { leftOnEngine } from '../support/docker/left-on-engine.ts';
import { prepareSpawnedPlatform, type SpawnedPlatform } from '../support/docker/spawned-platform.ts';

const services = 6;
const kills = 8;

let docker: DockerPlatform;
let platform: SpawnedPlatform;

beforeAll(async () => {
  docker = await startDockerPlatform();
  await docker.publish('shell', '1');
  platform = await prepareSpawnedPlatform(docker);
  await platform.start();
});
afterAll(async () => {
  await platform?.end();
  await docker?.end();
});

test('a platform that is killed again and again during rollouts goes on: nothing stuck, nothing twice, nothing left behind', async () => {
  const { call, kill, start } = platform;
  const { environmentId: environment, registryId } = await platform.createEnvironment();
  const ids: string[] = [];
  for (let index = 0; index < services; index += 1) {
    const { id } = await call('POST', `/environment/${environment}/container`, {
      name: `service-${index}`,
      ...scriptContainer(registryId, 'exec sleep 600'),
    });
    ids.push(String(id));
  }
  await call('POST', `/environment/${environment}/deploy`);
  for (let index = 0; index < kills; index += 1) {
    await delay(300 + 250 * index);
    await kill();
    await start();
  }
  const states = async (): Promise<unknown[]> =>
    Promise.all(ids.map(async (id) => (await call('GET', `/container/${id}/status`))['state']));
  await expect.poll(states, { interval: 500 }).toEqual(ids.map(() => 'DEPLOYED'));
  const running = await listDockerServices(docker.engine.docker, { label: ['io.infra-mcp.platform'] });
  expect(running.map(({ Spec }) => Spec.Name).toSorted()).toEqual(ids.map((id) => `infra-${id}`).toSorted());
  expect(running.map(({ ServiceStatus }) => ServiceStatus?.RunningTasks)).toEqual(ids.map(() => 1));

  await call('DELETE', `/environment/${environment}`);
  await delay(500);
  await kill();
  await start();
  await expect.poll(() => leftOnEngine(docker.engine.docker), { interval: 500 }).toEqual([]);
});
