import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createDockerContainer,
  listDockerConfigs,
  listDockerContainers,
  listDockerSecrets,
  listDockerServices,
  startDockerContainer,
  waitForDockerContainer,
} from '../../src/platform/runtime/docker/api/index.ts';
import { databaseFile } from '../../src/platform/store/index.ts';
import { type DockerPlatform, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { scriptJob } from '../support/docker/script-job.ts';
import { prepareSpawnedPlatform, type SpawnedPlatform } from '../support/docker/spawned-platform.ts';

let docker: DockerPlatform;
let platform: SpawnedPlatform;
let environmentId: string;
let registryId: string;
beforeAll(async () => {
  docker = await startDockerPlatform();
  await docker.publish('shell', '1');
  platform = await prepareSpawnedPlatform(docker);
  await platform.start();
  ({ environmentId, registryId } = await platform.createEnvironment());
});
afterAll(async () => {
  await platform?.end();
  await docker?.end();
});

const create = async (name: string, script: string, schedule?: { readonly scheduled_at: string }): Promise<string> =>
  String(
    (
      await platform.call('POST', `/environment/${environmentId}/job`, {
        name,
        ...scriptJob(registryId, script, schedule),
      })
    )['id'],
  );
const state = async (id: string) => (await platform.call('GET', `/job/${id}/status`))['state'];
const messages = async (id: string) => (await platform.rows(`/job/${id}/log`)).map(({ message }) => String(message));
/** The deployments of a job, oldest first: who began them, and how they ended. */
const history = async (id: string) =>
  (await platform.rows(`/job/${id}/deploymentHistoryV2`)).toReversed().map((item) => {
    const {
      auditing_data: { triggered_by: by },
      status,
    } = item as { auditing_data: { triggered_by: string }; status: string };
    return [by === 'schedule' ? by : 'a person', status];
  });

const label = ['io.infra-mcp.platform'];
const platformId = (): string => {
  const records = new DatabaseSync(join(platform.dataDir, databaseFile), { readOnly: true });
  const { value } = records.prepare('SELECT value FROM setting WHERE name = ?').get('platform_id') as { value: string };
  records.close();
  return value;
};
const made = async (): Promise<unknown[]> => {
  const client = docker.engine.docker;
  return [
    ...(await listDockerServices(client, { label })),
    ...(await listDockerContainers(client, { label })),
    ...(await listDockerSecrets(client, { label })),
    ...(await listDockerConfigs(client, { label })),
  ];
};
const within = { interval: 100 };

test('a job goes on when the platform is killed: it runs once, and its log is whole', async () => {
  const id = await create(
    'steady',
    'echo "run of $HOSTNAME"; i=0; while [ $i -lt 12 ]; do echo "step $i"; i=$((i+1)); sleep 0.5; done',
  );
  await platform.call('POST', `/job/${id}/deploy`);
  // Once before the engine has it, once while it runs, and once around its end.
  await platform.kill();
  await platform.start();
  await expect.poll(() => messages(id), within).toContain('step 1');
  await platform.kill();
  await platform.start();
  await expect.poll(() => state(id), within).toBe('DEPLOYED');
  const said = await messages(id);
  expect(said.filter((message) => /^(?:run of|step) /.test(message))).toEqual([
    expect.stringMatching(/^run of /),
    ...Array.from({ length: 12 }, (_, index) => `step ${index}`),
  ]);
  expect(said.at(-1)).toBe('Job finished with exit code 0');
  await expect.poll(made, within).toEqual([]);
});

test('a container that the engine made for a run, and forgot when it was killed, does not keep a run waiting for ever', async () => {
  const id = await create('forgotten', 'echo done');
  const engine = docker.engine.docker;
  const Labels = {
    'io.infra-mcp.platform': platformId(),
    'io.infra-mcp.environment': environmentId,
    'io.infra-mcp.service': id,
    'com.docker.swarm.service.id': 'a-service-that-is-gone',
  };
  await createDockerContainer(engine, 'infra-forgotten', { Image: `${docker.registry.host}/shell:1`, Labels });
  await platform.call('POST', `/job/${id}/deploy`);
  await expect.poll(() => state(id), within).toBe('DEPLOYED');
  await expect.poll(made, within).toEqual([]);

  // One that had ended goes with the job.
  const ended = await createDockerContainer(engine, 'infra-ended', {
    Image: `${docker.registry.host}/shell:1`,
    Entrypoint: ['/bin/sh', '-c', 'true'],
    Labels,
  });
  await startDockerContainer(engine, ended);
  await waitForDockerContainer(engine, ended);
  await platform.call('DELETE', `/job/${id}`);
  await expect.poll(made, within).toEqual([]);
});

test('a run that is canceled ends also where the platform is killed right then, and its schedule stays', async () => {
  const id = await create('canceled', 'true', { scheduled_at: '0 0 1 1 *' });
  await platform.call('POST', `/job/${id}/deploy`);
  await expect.poll(() => state(id), within).toBe('DEPLOYED');
  const run = { arguments: ['-c', 'trap "exit 0" TERM; echo begun; sleep 600 & wait'] };
  await platform.call('POST', `/job/${id}/run`, run);
  await expect.poll(() => messages(id), within).toContain('begun');
  await platform.call('POST', `/job/${id}/run/cancel`);
  await platform.kill();
  await platform.start();
  await expect
    .poll(() => history(id), within)
    .toEqual([
      ['a person', 'DEPLOYED'],
      ['a person', 'CANCELED'],
    ]);
  await expect.poll(made, within).toEqual([]);
  expect(nextRunOf(id)).toBe(Date.UTC(new Date().getUTCFullYear() + 1, 0, 1));
});

/** When a job runs next by its schedule, in milliseconds since the epoch. */
const nextRunOf = (id: string): unknown => {
  const records = new DatabaseSync(join(platform.dataDir, databaseFile), { readOnly: true });
  const row = records.prepare('SELECT due_ms FROM timer WHERE kind = ? AND subject_id = ?').get('JOB_RUN', id);
  records.close();
  return row?.['due_ms'];
};

/** Moves the next run of a job, while the platform is down. */
const nextRunAt = (id: string, milliseconds: number): void => {
  const records = new DatabaseSync(join(platform.dataDir, databaseFile));
  const { changes } = records
    .prepare('UPDATE timer SET due_ms = ? WHERE kind = ? AND subject_id = ?')
    .run(milliseconds, 'JOB_RUN', id);
  records.close();
  expect(changes).toBe(1);
};

test('a schedule outlives the platform: what was due meanwhile is told and not made up for, and what is due later runs, the image that was deployed', async () => {
  // Once a year, so that nothing runs by itself during the test.
  const id = await create('yearly', 'echo "ran"', { scheduled_at: '0 0 1 1 *' });
  await platform.call('POST', `/job/${id}/deploy`);
  await expect.poll(() => state(id), within).toBe('DEPLOYED');
  expect(await history(id)).toEqual([['a person', 'DEPLOYED']]);
  await platform.kill();
  const year = new Date().getUTCFullYear();
  nextRunAt(id, Date.UTC(year - 2, 0, 1));
  await platform.start();
  await expect
    .poll(() => messages(id), within)
    .toContain(
      `Missed 3 runs that were due from ${year - 2}-01-01T00:00:00.000Z to ${year}-01-01T00:00:00.000Z, because the platform was not running then. They are not made up for.`,
    );
  expect(await history(id)).toHaveLength(1);
  await platform.kill();
  nextRunAt(id, Date.now() - 1000);
  await platform.start();
  await expect
    .poll(() => history(id), within)
    .toEqual([
      ['a person', 'DEPLOYED'],
      ['schedule', 'DEPLOYED'],
    ]);
  const said = await messages(id);
  expect(said.filter((message) => message === 'ran')).toHaveLength(2);
  expect(said.filter((message) => message.startsWith('Pulled '))).toHaveLength(1);
  await expect.poll(made, within).toEqual([]);
});
