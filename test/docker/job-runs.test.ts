import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { listDockerTasks } from '../../src/platform/runtime/docker/api/index.ts';
import { type DockerPlatform, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { runningIn } from '../support/docker/left-on-engine.ts';
import { scriptJob } from '../support/docker/script-job.ts';
import { type Json, rowsOf } from '../support/test-platform.ts';

let docker: DockerPlatform;
beforeAll(async () => {
  docker = await startDockerPlatform();
  await docker.publish('shell', '1');
});
afterAll(() => docker?.end());

const within = { interval: 100 };
// Once a year, so that nothing runs by itself during the test.
const yearly = { scheduled_at: '0 0 1 1 *' };

const create = async (name: string, script: string, more: Json = {}): Promise<string> =>
  String(
    (
      await docker.platform.must('create_job', {
        environment_id: docker.environmentId,
        name,
        ...scriptJob(docker.registryId, script, yearly),
        ...more,
      })
    )['id'],
  );
const messages = async (id: string): Promise<string[]> =>
  rowsOf(await docker.platform.must('get_job_logs', { job_id: id })).map(({ message }) => String(message));
const status = (id: string) => docker.platform.must('get_job_status', { job_id: id });
const runs = async (id: string): Promise<Json[]> =>
  rowsOf(await docker.platform.must('list_job_deployments', { job_id: id }));
const stateOf = async (id: string, run: unknown): Promise<unknown> =>
  (await runs(id)).find(({ identifier }) => (identifier as Json)['execution_id'] === run)?.['status'];

const deployed = async (name: string, script: string, more: Json = {}): Promise<string> => {
  const id = await create(name, script, more);
  await docker.platform.must('deploy_job', { job_id: id });
  await expect.poll(async () => (await status(id))['state'], within).toBe('DEPLOYED');
  return id;
};

/** Begins a run with a script of its own. @returns its id */
const begin = async (id: string, script: string): Promise<unknown> =>
  (await docker.platform.must('run_job', { job_id: id, arguments: ['-c', script] }))['execution_id'];

const running = async (id: string): Promise<unknown[]> =>
  (await listDockerTasks(docker.engine.docker, { service: [`infra-${id}`] }).catch(() => [])).filter(
    ({ Status }) => Status.State === 'running',
  );

const made = (): Promise<unknown[]> => runningIn(docker.engine.docker, docker.environmentId);
// Whatever became of a run, the engine has nothing of it afterwards.
afterEach(async () => {
  await expect.poll(made, within).toEqual([]);
});

test('a run has arguments of its own, which the next one does not have', async () => {
  const id = await deployed('report', 'echo "for all"');
  const run = await begin(id, 'echo "for one of them"');
  await expect.poll(() => stateOf(id, run), within).toBe('DEPLOYED');
  expect(await messages(id)).toContain('for one of them');
  const { execution_id: usual } = await docker.platform.must('run_job', { job_id: id });
  await expect.poll(() => stateOf(id, usual), within).toBe('DEPLOYED');
  expect((await messages(id)).filter((message) => message.startsWith('for '))).toEqual([
    'for all',
    'for one of them',
    'for all',
  ]);
});

test.each([
  ['ends when it is told to', 'trap "exit 0" TERM; echo begun; sleep 600 & wait'],
  ['does not end when it is told to', 'trap "" TERM; echo begun; while :; do sleep 1; done'],
])('a run whose program %s is canceled, and the job runs again', async (name, script) => {
  const id = await deployed(name, 'echo done');
  const run = await begin(id, script);
  await expect.poll(() => messages(id), within).toContain('begun');
  await expect.poll(() => running(id), within).toHaveLength(1);
  expect(await docker.platform.must('cancel_job_run', { job_id: id })).toMatchObject({ execution_id: run });
  await expect.poll(() => stateOf(id, run), within).toBe('CANCELED');
  // The job itself is as it was, with its schedule.
  expect(await status(id)).toMatchObject({ state: 'DEPLOYED', service_deployment_status: 'UP_TO_DATE' });

  // The next run begins when nothing of the canceled one runs any more.
  const { execution_id: next } = await docker.platform.must('run_job', { job_id: id });
  await expect.poll(() => stateOf(id, next), within).toBe('DEPLOYED');
  expect((await messages(id)).filter((message) => message === 'done')).toHaveLength(2);
});

test('a run that failed and is about to be tried again is not, once it is canceled', async () => {
  const id = await deployed('tried-again', 'true', { max_nb_restart: 100 });
  const run = await begin(id, 'echo attempt; sleep 2; exit 3');
  await expect
    .poll(async () => (await messages(id)).filter((message) => message === 'attempt').length, within)
    .toBeGreaterThan(1);
  await docker.platform.must('cancel_job_run', { job_id: id, execution_id: run });
  await expect.poll(() => stateOf(id, run), within).toBe('CANCELED');
  await expect.poll(made, within).toEqual([]);
  expect((await messages(id)).filter((message) => message === 'attempt').length).toBeLessThan(100);
});

test('a run that no node has room for is canceled while it waits', async () => {
  const id = await create('crowded', 'true', { memory: 200_000 });
  await docker.platform.must('deploy_job', { job_id: id });
  await expect.poll(async () => (await runs(id))[0]?.['status'], within).toBe('EXECUTING');
  const { execution_id: run } = await docker.platform.must('cancel_job_run', { job_id: id });
  await expect.poll(() => stateOf(id, run), within).toBe('CANCELED');
});

test('a run that has ended is not canceled, and keeps how it ended', async () => {
  const id = await deployed('over', 'true');
  const run = await begin(id, 'exit 3');
  await expect.poll(() => stateOf(id, run), within).toMatch(/_ERROR$/);
  const ended = await stateOf(id, run);
  expect((await docker.platform.call('cancel_job_run', { job_id: id, execution_id: run })).status).toBe(400);
  expect(await stateOf(id, run)).toBe(ended);
});
