import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Runtime, Task } from '../../../src/platform/runtime/index.ts';
import { succeeding } from '../../support/assistant-calls.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering, type TestClient } from '../../support/mcp-clients.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

const tasks: Task[] = [];
const abandoned: string[] = [];
let runsEnd = true;

/** Runs jobs until it is told to end them. */
const runtime: Runtime = {
  refusalOf: () => undefined,
  begin: async () => undefined,
  abandon: async ({ deploymentId }) => {
    abandoned.push(deploymentId);
  },
  commits: async () => [],
  addressesOf: () => [],
  sweep: async () => ({ removed: [], left: [] }),
  observeRunning: async () => [],
  logs: async () => [],
  upgradeFails: () => true,
  pauseBefore: () => 0,
  observe: async (task) => {
    tasks.push(task);
    return runsEnd
      ? { outcome: 'succeeded', lines: [], cursor: '', record: `record of ${task.deploymentId}` }
      : { outcome: 'ongoing', lines: [], cursor: 'begun', nextPollAt: Date.now() + 100 };
  },
};

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;
let environment_id: string;
let job_id: string;
const user = userAnswering(agree);

const create = async (name: string, schedule: Json): Promise<string> =>
  String(
    (
      await platform.must('create_job', {
        environment_id,
        name,
        source: { image: { image_name: 'acme/report', tag: '1.0' } },
        schedule,
      })
    )['id'],
  );

const historyOf = async (id: string) => rowsOf(await platform.must('list_job_deployments', { job_id: id }));

const stateOf = async (id: string, run: unknown) =>
  (await historyOf(id)).find((row) => (row['identifier'] as Json)['execution_id'] === run)?.['status'];

const deployed = async (id: string): Promise<void> => {
  await platform.must('deploy_job', { job_id: id });
  await expect.poll(async () => (await historyOf(id))[0]?.['status']).toBe('DEPLOYED');
};

const succeeded = succeeding((tool, args) => client.call(tool, args));

beforeAll(async () => {
  platform = await startTestPlatform({
    realClusters: {
      clusters: [{ name: 'runs', description: 'Of the test.', version: 'test', createRuntime: () => runtime }],
      registries: [],
    },
  });
  connectors = connectorsTo(platform.url, platform.tokens.admin);
  client = await connectors.modern(user);
  const { organizationId: organization_id } = platform;
  const [cluster] = rowsOf(await platform.must('list_clusters', { organization_id }));
  const { id: project_id } = await platform.must('create_project', { organization_id, name: 'reports' });
  environment_id = String(
    (
      await platform.must('create_environment', {
        project_id,
        name: 'staging',
        mode: 'STAGING',
        cluster_id: cluster!['id'],
      })
    )['id'],
  );
  job_id = await create('nightly', { cronjob: { scheduled_at: '0 3 * * *', arguments: ['--all'] } });
});
beforeEach(() => {
  runsEnd = true;
});
afterAll(async () => {
  runsEnd = true;
  await connectors.close();
  await platform.close();
});

test('a job that was never deployed is not run', async () => {
  expect(await platform.call('run_job', { job_id })).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/^nightly \(job .*\) can't be run: no deployment of it has succeeded yet/) },
  });
});

test('a run with arguments of its own runs the deployed version, and changes nothing else of the job', async () => {
  await deployed(job_id);
  const [before, status] = [
    await platform.must('get_job', { job_id }),
    await platform.must('get_job_status', { job_id }),
  ];
  const plan = await client.call('run_job', { job_id, arguments: ['--only', 'users'], dry_run: true });
  expect(textOf(plan)).toContain('arguments: ["--only","users"]\n');
  expect(textOf(plan)).toContain('Usually: ["--all"]. They stay in its configuration.');
  expect(await historyOf(job_id)).toHaveLength(1);

  user.questions.length = 0;
  const asked = await client.call('run_job', { job_id, arguments: ['--only', 'users'], wait: true });
  expect(asked.isError, textOf(asked)).toBeFalsy();
  const run = asked.structuredContent as Json;
  // Without a level, a search shows warnings and errors only.
  expect(textOf(asked)).toMatch(
    new RegExp(`search_logs \\{"service":"${job_id}","level":"debug","since":"[^"]+Z","oldest":true\\}`),
  );
  expect(user.questions).toHaveLength(1);
  expect(run).toMatchObject({
    job_id,
    state: 'DEPLOYED',
    arguments: ['--only', 'users'],
    triggered_by: expect.any(String),
  });
  const task = tasks.findLast(({ deploymentId }) => deploymentId === run['execution_id'])!;
  expect(task.service.spec).toMatchObject({
    schedule: { cronjob: { scheduled_at: '0 3 * * *', arguments: ['--only', 'users'] } },
  });
  const [, deployment] = await historyOf(job_id);
  expect(task.record).toBe(`record of ${String((deployment!['identifier'] as Json)['execution_id'])}`);
  expect(await platform.must('get_job', { job_id })).toEqual(before);
  expect(await platform.must('get_job_status', { job_id })).toEqual(status);
  // The schedule alone: what runs by it may have secrets among its arguments.
  const cronjob = { scheduled_at: '0 3 * * *', timezone: 'Etc/UTC' };
  expect((await historyOf(job_id)).map(({ details }) => (details as Json)['schedule'])).toEqual([
    { cronjob },
    { cronjob },
  ]);
  expect((await historyOf(job_id)).map(({ details }) => (details as Json)['arguments'])).toEqual([
    ['--only', 'users'],
    undefined,
  ]);

  const plain = await succeeded('run_job', { job_id, wait: true });
  expect(plain).not.toHaveProperty('arguments');
  expect(tasks.at(-1)!.service.spec).toMatchObject({ schedule: { cronjob: { arguments: ['--all'] } } });
  const [event] = (await platform.must('list_events', { organization_id: platform.organizationId }))[
    'events'
  ] as Json[];
  expect(event).toMatchObject({ event_type: 'TRIGGER_FORCE_RUN', target_name: 'nightly' });
  expect(JSON.parse(String(event!['change']))).toMatchObject({ deployment_id: plain['execution_id'] });
});

test('a job that runs is not run a second time; its run is canceled, and its schedule stays', async () => {
  runsEnd = false;
  const run = await succeeded('run_job', { job_id });
  await expect.poll(() => stateOf(job_id, run['execution_id'])).toBe('EXECUTING');
  const again = await client.call('run_job', { job_id });
  expect(failureIn(again)).toMatchObject({ kind: 'api', status: 400 });
  expect(textOf(again)).toContain(`a run or deployment of it is under way (${String(run['execution_id'])})`);
  expect(await platform.call('cancel_deployment', { environment_id })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('only runs of nightly. Cancel a run at its job') },
  });

  const plan = await client.call('cancel_job_run', { job_id, dry_run: true });
  expect(textOf(plan)).toContain(`Cancels the run ${String(run['execution_id'])} of `);
  expect(abandoned).not.toContain(run['execution_id']);
  const canceled = await succeeded('cancel_job_run', { job_id, wait: true });
  expect(canceled).toMatchObject({ execution_id: run['execution_id'], state: 'CANCELED' });
  expect(abandoned).toContain(run['execution_id']);
  expect(await platform.must('get_job_status', { job_id })).toMatchObject({
    state: 'DEPLOYED',
    service_deployment_status: 'UP_TO_DATE',
  });
  expect(await platform.call('cancel_job_run', { job_id, execution_id: run['execution_id'] })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('has ended already, as CANCELED') },
  });

  user.questions.length = 0;
  const idle = await client.call('cancel_job_run', { job_id });
  expect(textOf(idle)).toContain('no run of it is under way');
  expect(user.questions).toEqual([]);
});

test('a run that belongs to a deployment of several services is canceled with all of it only', async () => {
  const other = await create('other', { on_start: {} });
  runsEnd = false;
  await platform.must('deploy_environment', { environment_id });
  await expect.poll(async () => (await historyOf(other))[0]?.['status']).toBe('EXECUTING');
  expect(await platform.call('cancel_job_run', { job_id })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('which also deploys other. Cancel the deployment of the environment') },
  });
  await platform.must('cancel_deployment', { environment_id });
  await expect.poll(async () => (await historyOf(other))[0]?.['status']).toBe('CANCELED');

  await platform.must('deploy_job', { job_id: other });
  await expect.poll(async () => (await historyOf(other))[0]?.['status']).toBe('EXECUTING');
  const alone = await succeeded('cancel_job_run', { job_id: other, wait: true });
  expect(alone).toMatchObject({ state: 'CANCELED' });
});

test.each([
  ['is stopped', { on_start: {} }, 'it is STOPPED'],
  ['runs only when it is stopped', { on_stop: {} }, 'it runs only when it is stopped or deleted'],
])('a job that %s is not run', async (name, schedule, why) => {
  const id = await create(name, schedule);
  await deployed(id);
  if (why === 'it is STOPPED') {
    await platform.must('stop_job', { job_id: id });
    await expect.poll(async () => (await platform.must('get_job_status', { job_id: id }))['state']).toBe('STOPPED');
  }
  expect(await platform.call('run_job', { job_id: id })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining(why) },
  });
});

test('nobody runs a job while its cluster is locked, or with a token that only reads', async () => {
  const [cluster] = rowsOf(await platform.must('list_clusters', { organization_id: platform.organizationId }));
  await platform.must('lock_cluster', { cluster_id: cluster!['id'], reason: 'Inventory.' });
  expect(await platform.call('run_job', { job_id })).toMatchObject({ status: 400 });
  await platform.must('unlock_cluster', { cluster_id: cluster!['id'] });
  expect(await platform.call('run_job', { job_id }, { authorization: `Token ${platform.tokens.read}` })).toMatchObject({
    status: 403,
  });
});
