import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Condition, dataOf } from '../../src/contract/index.ts';
import { listDockerNetworks, listDockerTasks } from '../../src/platform/runtime/docker/api/index.ts';
import { conditionsIn, dataWith } from '../support/conditions.ts';
import { shellSource } from '../support/docker/applications.ts';
import { type DockerPlatform, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { startGitServer, type GitServer } from '../support/git-server.ts';
import { runningIn } from '../support/docker/left-on-engine.ts';
import { scriptJob } from '../support/docker/script-job.ts';
import { type Json, rowsOf } from '../support/test-platform.ts';
import { isLanding } from '../suites.ts';
import { seenAtLast } from '../support/eventually.ts';

let git: GitServer;
let docker: DockerPlatform;
let crowded: string;

const create = async (
  name: string,
  script: string,
  more: Json = {},
  environmentId = docker.environmentId,
): Promise<string> =>
  String(
    (
      await docker.platform.must('create_job', {
        environment_id: environmentId,
        name,
        ...scriptJob(docker.registryId, script),
        ...more,
      })
    )['id'],
  );

beforeAll(async () => {
  git = await startGitServer();
  docker = await startDockerPlatform({ builds: { git: { [git.host]: { isPrivate: true } } } });
  await docker.publish('shell', '1');
  // It takes its time, beside the other tests.
  crowded = await create('crowded', 'true', { memory: 200_000 }, await docker.environment('crowded'));
  await docker.platform.must('deploy_job', { job_id: crowded });
});
afterAll(async () => {
  await docker?.end();
  await git?.close();
});

const status = (id: string) => docker.platform.must('get_job_status', { job_id: id });
const lines = async (id: string): Promise<Json[]> => rowsOf(await docker.platform.must('get_job_logs', { job_id: id }));
const messages = async (id: string): Promise<string[]> => (await lines(id)).map(({ message }) => String(message));
/** The condition that the last line of a log tells, if it tells one. */
const lastCondition = async (id: string): Promise<unknown> => (await lines(id)).at(-1)?.['condition'];

/** Waits until nothing is done to a job any more. @returns its state */
async function settled(id: string): Promise<unknown> {
  const { state } = await seenAtLast(
    () => status(id),
    (seen) => /^(?:DEPLOYED|STOPPED|CANCELED|.*_ERROR)$/.test(String(seen['state'])),
  );
  return state;
}

const run = async (id: string): Promise<unknown> => {
  await docker.platform.must('deploy_job', { job_id: id });
  return settled(id);
};

const made = (): Promise<unknown[]> => runningIn(docker.engine.docker, docker.environmentId);
// Whatever a job did, the engine has nothing of it afterwards but the network of its environment.
afterEach(async () => {
  await expect.poll(made).toEqual([]);
});

test('a job runs to its end with its variables and secrets, and every line of it is told', async () => {
  const id = await create(
    'report',
    'i=0; while [ $i -lt 40 ]; do echo "line $i"; i=$((i+1)); done; echo "$GREETING ${#PASSWORD}"; cat /etc/greeting',
  );
  await docker.platform.must('create_variable', {
    key: 'GREETING',
    value: 'hello',
    is_secret: false,
    variable_scope: 'JOB',
    variable_parent_id: id,
  });
  await docker.platform.must('create_variable', {
    key: 'PASSWORD',
    value: 'never-to-be-seen',
    is_secret: true,
    variable_scope: 'JOB',
    variable_parent_id: id,
  });
  await docker.platform.must('create_variable', {
    key: 'GREETING_FILE',
    value: 'from a file',
    is_secret: false,
    variable_scope: 'JOB',
    variable_parent_id: id,
    mount_path: '/etc/greeting',
  });
  expect(await run(id)).toBe('DEPLOYED');
  const said = await messages(id);
  expect(said.filter((message) => message.startsWith('line '))).toEqual(
    Array.from({ length: 40 }, (_, index) => `line ${index}`),
  );
  expect(said.slice(-3)).toEqual(expect.arrayContaining(['from a file', 'Job finished with exit code 0']));
  expect(said).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^Pulled /),
      expect.stringMatching(/^Started report-1-\w+$/),
      'hello 16',
    ]),
  );
  expect(said.join('\n')).not.toContain('never-to-be-seen');
});

test.skipIf(isLanding)('a job that fails is tried again as often as it may, and tells every attempt', async () => {
  const id = await create('failing', 'echo "no table"; exit 3', { max_nb_restart: 2 });
  expect(await run(id)).toBe('DEPLOYMENT_ERROR');
  const said = await messages(id);
  expect(said.filter((message) => message === 'no table')).toHaveLength(3);
  const cause = { reason: 'EXITED', details: { code: 3 } };
  expect(dataWith(conditionsIn(await lines(id)), 'RUN_ATTEMPT_FAILED')).toMatchObject(
    [1, 2, 3].map((nth) => ({ nth, most: 3, cause })),
  );
  expect(await lastCondition(id)).toMatchObject({ reason: 'RUN_FAILED', details: { attempts: 3, cause } });
});

test('a scheduled job whose first run fails tells that nothing runs by itself', async () => {
  const id = await create(
    'nightly',
    '',
    scriptJob(docker.registryId, 'echo "no table"; exit 3', { scheduled_at: '0 3 * * *' }),
  );
  expect(await run(id)).toBe('DEPLOYMENT_ERROR');
  expect(await lastCondition(id)).toMatchObject({ reason: 'SCHEDULE_NOT_BEGUN', details: { left: 'none' } });
});

const live = {
  type: { exec: { command: ['false'] } },
  initial_delay_seconds: 0,
  period_seconds: 1,
  timeout_seconds: 1,
  success_threshold: 1,
  failure_threshold: 1,
};

test.each([
  // Engines lose what the kernel told them, where a container ends at once.
  [
    'too little memory',
    'tail /dev/zero',
    { memory: 16 },
    {
      reason: 'RUN_FAILED',
      details: {
        cause: expect.toSatisfy(
          (cause: Condition) => cause.reason === 'OUT_OF_MEMORY' || dataOf(cause, 'EXITED')?.mayLackMemory === true,
        ) as unknown,
      },
    },
  ],
  [
    'a run that takes too long',
    'echo begun; exec sleep 600',
    { max_duration_seconds: 2 },
    { reason: 'TIME_LIMIT_EXCEEDED', details: { seconds: 2, member: 'max_duration_seconds' } },
  ],
  [
    'a liveness probe that fails',
    'trap "exit 0" TERM; sleep 600 & wait',
    { healthchecks: { liveness_probe: live } },
    { reason: 'RUN_UNHEALTHY', details: { cause: { reason: 'PROBE_FAILED', details: { probe: 'liveness' } } } },
  ],
] as const)('%s is told as the cause', async (_, script, more, cause) => {
  const id = await create(`cause-${_.replaceAll(' ', '-')}`, script, more);
  expect(await run(id)).toBe('DEPLOYMENT_ERROR');
  expect(await lastCondition(id)).toMatchObject(cause);
});

test.skipIf(isLanding)('a job whose liveness probe passes ends as its program does', async () => {
  expect(
    await run(
      await create('alive', 'sleep 2', {
        healthchecks: { liveness_probe: { ...live, type: { exec: { command: ['true'] } } } },
      }),
    ),
  ).toBe('DEPLOYED');
});

test.skipIf(isLanding)('a job from git is built from its commit, which is told, and runs', async () => {
  const commit = git.commit('reports', 'count', shellSource('echo "from git"'));
  const id = await create('built', '', {
    source: { docker: { git_repository: { url: git.url('reports'), branch: 'main' } } },
    schedule: { on_start: {} },
  });
  expect(await run(id)).toBe('DEPLOYED');
  const said = await messages(id);
  expect(said).toEqual(expect.arrayContaining([expect.stringContaining(`Fetched commit ${commit}`), 'from git']));
  const builds = async () => (await messages(id)).filter((message) => message.startsWith('Step 1/')).length;
  expect(await builds()).toBe(1);
  expect(await run(id)).toBe('DEPLOYED');
  expect((await messages(id)).filter((message) => message === 'from git')).toHaveLength(2);
  // An image that was built before is used.
  expect(await builds()).toBe(1);
  git.commit('reports', 'break', shellSource('exit 0', 'RUN exit 7'));
  expect(await run(id)).toMatch(/_ERROR$/);
  expect(dataWith(conditionsIn(await lines(id)), 'BUILD_STEP_FAILED')).toMatchObject([{ code: 7 }]);
});

test('an image that is not there is told as the cause, and nothing is run', async () => {
  const id = await create('imageless', 'true', {
    source: { image: { image_name: 'shell', tag: '2', registry_id: docker.registryId } },
  });
  expect(await run(id)).toBe('DEPLOYMENT_ERROR');
  expect(await lastCondition(id)).toMatchObject({
    reason: 'IMAGE_NOT_FOUND',
    details: { image: expect.stringMatching(/^127\.0\.0\.1:\d+\/shell:2$/) as unknown },
  });
});

const runningTasks = async (id: string): Promise<unknown[]> =>
  (await listDockerTasks(docker.engine.docker, { service: [`infra-${id}`] }).catch(() => [])).filter(
    ({ Status }) => Status.State === 'running',
  );

test('a run that is canceled ends', async () => {
  const id = await create('canceled', 'echo begun; exec sleep 600');
  await docker.platform.must('deploy_job', { job_id: id });
  await expect.poll(() => messages(id)).toContain('begun');
  await expect.poll(() => runningTasks(id)).toHaveLength(1);
  await docker.platform.must('cancel_deployment', { environment_id: docker.environmentId });
  expect(await settled(id)).toBe('CANCELED');
});

const command = (script: string) => ({ entrypoint: '/bin/sh', arguments: ['-c', script] });

test('a job that belongs to its environment runs when that is deployed, stopped and deleted, with the command of each', async () => {
  const schedule = {
    on_start: command('echo "at the start"'),
    on_stop: command('echo "at the stop"'),
    on_delete: command('echo "at the deletion"; exit 3'),
  };
  const environmentId = await docker.environment('lifecycle');
  const id = await create('lifecycle', '', { schedule }, environmentId);
  await docker.platform.must('deploy_environment', { environment_id: environmentId });
  expect(await settled(id)).toBe('DEPLOYED');
  await docker.platform.must('stop_environment', { environment_id: environmentId });
  expect(await settled(id)).toBe('STOPPED');
  await docker.platform.must('delete_job', { job_id: id });
  expect(await settled(id)).toBe('DELETE_ERROR');
  const said = await messages(id);
  const order = ['at the start', 'at the stop', 'at the deletion'].map((message) => said.indexOf(message));
  expect(order).toEqual(order.toSorted((one, other) => one - other));
  expect(order).not.toContain(-1);
  expect(await lastCondition(id)).toMatchObject({
    reason: 'RUN_FAILED',
    details: { attempts: 1, cause: { reason: 'EXITED', details: { code: 3 } } },
  });
  await docker.platform.must('update_job', {
    job_id: id,
    name: 'lifecycle',
    ...scriptJob(docker.registryId, ''),
    schedule: { on_delete: command('true') },
  });
  expect(await run(id)).toBe('DEPLOYED');
  expect((await messages(id)).at(-1)).toMatch(/^Not run: /);
  await docker.platform.must('delete_environment', { environment_id: environmentId });
  await expect.poll(async () => (await docker.platform.call('get_job_status', { job_id: id })).status).toBe(404);
  expect(
    await listDockerNetworks(docker.engine.docker, { label: [`io.infra-mcp.environment=${environmentId}`] }),
  ).toEqual([]);
});

test.each([
  [
    'with a Dockerfile of its own',
    {
      source: {
        docker: { git_repository: { url: 'https://git.example.com/shop.git' }, dockerfile_raw: 'FROM scratch' },
      },
    },
    'builds from a Dockerfile in the repository',
  ],
  ['without time', { max_duration_seconds: 0 }, 'No run can end in 0 seconds'],
] as const)('a job %s is refused when it is created', async (name, more, words) => {
  const { status: code, text } = await docker.platform.call('create_job', {
    environment_id: docker.environmentId,
    name: `refused ${name}`,
    ...scriptJob(docker.registryId, 'true'),
    ...more,
  });
  expect([code, text]).toEqual([400, expect.stringContaining(words)]);
});

test('a job that no node has room for fails, and tells what it lacks', async () => {
  expect(await settled(crowded)).toBe('DEPLOYMENT_ERROR');
  expect(await lastCondition(crowded)).toMatchObject({ reason: 'INSUFFICIENT_RESOURCES' });
});
