import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { condition, type ServiceKind } from '../../../src/contract/index.ts';
import { DeploymentHistory } from '../../../src/contract/resources/job.ts';
import { EnvironmentLog, Log, ServiceDeploymentStatus } from '../../../src/contract/resources/deployment.ts';
import { EnvironmentStatus } from '../../../src/contract/resources/environment.ts';
import { silentLog, systemRandom } from '../../../src/platform/common/index.ts';
import { TaskRefused, runtimesOf, simulatedRuntimeName, type Task } from '../../../src/platform/runtime/index.ts';
import { replayOrder } from '../../../src/platform/seed/index.ts';
import { createVault } from '../../../src/platform/store/vault.ts';
import { addEnvironment, clusterId, manualClock, openEngineFixture, type EngineFixture } from './engine-fixture.ts';

const clock = manualClock();
let fixture: EngineFixture;
/** Names of services whose build fails. */
const broken = new Set<string>();

beforeAll(async () => {
  fixture = await openEngineFixture({
    clock,
    timeScale: 1,
    faults: ({ task, seconds }) =>
      task.phase.state === 'BUILDING' && broken.has(task.service.name)
        ? { seconds, lines: ['npm error code ELIFECYCLE'], failure: 'the build failed' }
        : undefined,
  });
});
afterAll(() => fixture.close());

const kinds: Readonly<Record<string, { kind: ServiceKind }>> = {
  db: { kind: 'database' },
  job: { kind: 'job' },
  infra: { kind: 'terraform' },
  app: { kind: 'application' },
  web: { kind: 'container' },
  chart: { kind: 'helm' },
};

/** States each service of an environment came to, by its name, in order. */
const statesOf = async (environmentId: string): Promise<Record<string, string[]>> => {
  const events = await fixture.db
    .selectFrom('deployment_event')
    .innerJoin('service', 'service.id', 'deployment_event.service_id')
    .select(['service.name', 'deployment_event.state'])
    .where('service.environment_id', '=', environmentId)
    .orderBy('deployment_event.seq')
    .execute();
  return Object.fromEntries(
    [...Map.groupBy(events, (event) => event.name)].map(([name, all]) => [name, all.map((event) => event.state)]),
  );
};

const status = (id: string) => fixture.engine.serviceStatus(fixture.db, id);

/** Lets time pass until no deployment is open. */
const settle = () => fixture.settled(clock);

const deployed = async (
  name: string,
  services: Readonly<Record<string, { kind: ServiceKind; spec?: Record<string, unknown> }>>,
) => {
  const environment = await addEnvironment(fixture.db, name, services);
  await fixture.order({ environmentId: environment.environmentId, serviceIds: Object.values(environment.ids) });
  await settle();
  return environment;
};

describe('states', () => {
  test('of a deploy are those of the kind, stage after stage', async () => {
    const { environmentId } = await deployed('deploy', kinds);
    expect(await statesOf(environmentId)).toEqual({
      db: ['DEPLOYMENT_QUEUED', 'DEPLOYING', 'DEPLOYED'],
      job: ['DEPLOYMENT_QUEUED', 'WAITING_RUNNING', 'EXECUTING', 'DEPLOYED'],
      infra: ['DEPLOYMENT_QUEUED', 'WAITING_RUNNING', 'EXECUTING', 'DEPLOYED'],
      app: ['DEPLOYMENT_QUEUED', 'WAITING_RUNNING', 'BUILDING', 'DEPLOYING', 'DEPLOYED'],
      web: ['DEPLOYMENT_QUEUED', 'WAITING_RUNNING', 'DEPLOYING', 'DEPLOYED'],
      chart: ['DEPLOYMENT_QUEUED', 'WAITING_RUNNING', 'DEPLOYING', 'DEPLOYED'],
    });
  });

  test('of a restart and a stop follow those of the deploy, the stop from the applications down', async () => {
    const { environmentId, ids } = await deployed('restart', {
      db: { kind: 'database' },
      app: { kind: 'application' },
    });
    await fixture.order({ environmentId, serviceIds: [ids['app']!], action: 'RESTART' });
    await settle();
    await fixture.order({ environmentId, serviceIds: Object.values(ids), action: 'STOP' });
    await settle();
    const { db, app } = await statesOf(environmentId);
    expect(app?.slice(-6)).toEqual(['RESTART_QUEUED', 'RESTARTING', 'RESTARTED', 'STOP_QUEUED', 'STOPPING', 'STOPPED']);
    expect(db?.slice(-4)).toEqual(['STOP_QUEUED', 'WAITING_STOPPING', 'STOPPING', 'STOPPED']);
    expect((await fixture.engine.environmentStatus(fixture.db, environmentId)).state).toBe('STOPPED');
  });

  test('of the environment are the aggregate of its services', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'aggregate', {
      db: { kind: 'database' },
      app: { kind: 'application' },
    });
    const state = async () => (await fixture.engine.environmentStatus(fixture.db, environmentId)).state;
    expect(await state()).toBe('READY');
    await fixture.order({ environmentId, serviceIds: Object.values(ids) });
    expect(await state()).toBe('DEPLOYMENT_QUEUED');
    await fixture.until(clock, async () => (await status(ids['app']!)).state === 'BUILDING');
    expect(await status(ids['db']!)).toMatchObject({ state: 'DEPLOYED' });
    expect(await state()).toBe('BUILDING');
    await settle();
    expect(await state()).toBe('DEPLOYED');
  });
});

describe('one environment', () => {
  test('works on one order at a time, in their order; what a service shows is of its latest', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'queue', { app: { kind: 'application' } });
    const [first, second, third] = [
      await fixture.order({ environmentId, serviceIds: [ids['app']!] }),
      await fixture.order({ environmentId, serviceIds: [ids['app']!] }),
      await fixture.order({ environmentId, serviceIds: [ids['app']!], action: 'STOP' }),
    ];
    expect(await status(ids['app']!)).toMatchObject({
      state: 'STOP_QUEUED',
      deployment_request_id: third,
      deployment_requests_count: 3,
    });
    await settle();
    const deployments = await fixture.db
      .selectFrom('deployment')
      .selectAll()
      .where('environment_id', '=', environmentId)
      .orderBy('seq')
      .execute();
    expect(deployments.map(({ id }) => id)).toEqual([first, second, third]);
    expect(deployments[1]!.started_at! >= deployments[0]!.ended_at!).toBe(true);
    expect(deployments[2]!.started_at! >= deployments[1]!.ended_at!).toBe(true);
    expect(await status(ids['app']!)).toMatchObject({
      state: 'STOPPED',
      deployment_requests_count: 0,
      is_part_last_deployment: true,
    });
  });
});

describe('a failure', () => {
  test('leaves what ran before, and later stages are not begun', async () => {
    const { environmentId, ids } = await deployed('failing', {
      infra: { kind: 'terraform' },
      app: { kind: 'application' },
    });
    const before = await fixture.db
      .selectFrom('service')
      .selectAll()
      .where('id', '=', ids['app']!)
      .executeTakeFirstOrThrow();
    await fixture.db
      .updateTable('service')
      .set({ spec: before.spec.replace('Dockerfile', 'deploy/Dockerfile') })
      .where('id', '=', before.id)
      .execute();
    await fixture.engine.markOutOfDate(fixture.db, [before.id]);
    broken.add('app');
    await fixture.order({ environmentId, serviceIds: Object.values(ids) });
    await settle();
    broken.delete('app');
    const after = await fixture.db
      .selectFrom('service')
      .selectAll()
      .where('id', '=', before.id)
      .executeTakeFirstOrThrow();
    expect(after).toMatchObject({
      deployed_state: 'BUILD_ERROR',
      deployment_status: 'OUT_OF_DATE',
      deployed_spec: before.deployed_spec,
    });
    const { steps, status_details } = await status(before.id);
    expect(status_details).toEqual({ action: 'DEPLOY', status: 'ERROR', sub_action: 'NONE' });
    expect(steps?.details.at(-1)).toMatchObject({ step_name: 'GIT_CLONE', status: 'ERROR' });
    expect((await fixture.engine.environmentStatus(fixture.db, environmentId)).state).toBe('BUILD_ERROR');
    expect((await fixture.engine.logs(fixture.db, before.id)).results.map((line) => line.message)).toContain(
      'npm error code ELIFECYCLE',
    );
  });

  test('in an early stage cancels the stages after it', async () => {
    const { ids } = await deployed('early', {
      infra: { kind: 'terraform', spec: { timeout_sec: 1 } },
      app: { kind: 'application' },
    });
    expect(await status(ids['infra']!)).toMatchObject({
      state: 'DEPLOYMENT_ERROR',
      service_deployment_status: 'NEVER_DEPLOYED',
    });
    expect(await status(ids['app']!)).toMatchObject({ state: 'CANCELED', status_details: { status: 'CANCELED' } });
    expect((await fixture.engine.logs(fixture.db, ids['app']!)).results.at(-1)?.message).toBe(
      'Not begun, because infra failed in an earlier stage.',
    );
  });

  test.each([
    [
      'a readiness probe at a port it does not listen on',
      { healthchecks: probe('readiness_probe', 9090) },
      /Readiness probe failed/,
    ],
    [
      'a liveness probe at a port it does not listen on',
      { healthchecks: probe('liveness_probe', 9090) },
      /Liveness probe failed/,
    ],
    ['too little memory', { memory: 32 }, /OOMKilled/],
  ])('comes of %s', async (name, spec, line) => {
    const { ids } = await deployed(name, { web: { kind: 'container', spec } });
    expect(await status(ids['web']!)).toMatchObject({
      state: 'DEPLOYMENT_ERROR',
      service_deployment_status: 'NEVER_DEPLOYED',
    });
    expect(
      (await fixture.engine.logs(fixture.db, ids['web']!)).results.map(({ message }) => message).join('\n'),
    ).toMatch(line);
  });

  test('of a chart comes of its time limit', async () => {
    const { ids } = await deployed('helm limit', { chart: { kind: 'helm', spec: { timeout_sec: 2 } } });
    expect(await status(ids['chart']!)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
    expect((await fixture.engine.logs(fixture.db, ids['chart']!)).results.at(-1)?.message).toContain(
      'timeout_sec of 2 seconds',
    );
  });

  test('of the runtime itself ends the deployment with its reason', async () => {
    const runtime = {
      ...fixture.runtime,
      begin: (): Promise<void> => Promise.reject(new Error('no route to the cluster')),
    };
    const other = await openEngineFixture({ engine: { runtimes: runtimesOf({ [simulatedRuntimeName]: runtime }) } });
    const { environmentId, ids } = await addEnvironment(other.db, 'runtime', { db: { kind: 'database' } });
    await other.order({ environmentId, serviceIds: [ids['db']!] });
    await other.settled();
    expect(await other.engine.serviceStatus(other.db, ids['db']!)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
    expect((await other.engine.logs(other.db, ids['db']!)).results.at(-1)?.message).toBe(
      'The runtime failed during DEPLOYMENT: no route to the cluster',
    );
    await other.close();
  });

  test('for what the runtime refuses is told in its words, and is no error of the runtime', async () => {
    const told: unknown[] = [];
    const tell = (...line: unknown[]): void => void told.push(line);
    const refusal = condition('NO_NODE', {});
    const runtime = { ...fixture.runtime, begin: (): Promise<void> => Promise.reject(new TaskRefused(refusal)) };
    const other = await openEngineFixture({
      engine: {
        runtimes: runtimesOf({ [simulatedRuntimeName]: runtime }),
        log: { ...silentLog, warn: tell, error: tell },
      },
    });
    const { environmentId, ids } = await addEnvironment(other.db, 'refusing', { db: { kind: 'database' } });
    await other.order({ environmentId, serviceIds: [ids['db']!] });
    await other.settled();
    expect(await other.engine.serviceStatus(other.db, ids['db']!)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
    expect((await other.engine.logs(other.db, ids['db']!)).results.at(-1)).toMatchObject({
      message: refusal.message,
      condition: refusal,
    });
    expect(told).toEqual([]);
    await other.close();
  });
});

function probe(kind: string, port: number) {
  return {
    [kind]: {
      type: { http: { port, path: '/', scheme: 'HTTP' } },
      initial_delay_seconds: 5,
      period_seconds: 2,
      timeout_seconds: 1,
      success_threshold: 1,
      failure_threshold: 3,
    },
  };
}

describe('a cancel', () => {
  test('ends what is under way and what waits, and leaves what ran before', async () => {
    const { environmentId, ids } = await deployed('cancel', { db: { kind: 'database' }, app: { kind: 'application' } });
    await fixture.order({ environmentId, serviceIds: Object.values(ids) });
    await fixture.until(clock, async () => (await status(ids['db']!)).state === 'DEPLOYING');
    await fixture.db.write((trx) => fixture.engine.cancel(trx, environmentId));
    fixture.engine.wake();
    expect(await status(ids['app']!)).toMatchObject({ state: 'CANCELING' });
    await settle();
    expect(await status(ids['db']!)).toMatchObject({
      state: 'CANCELED',
      service_deployment_status: 'UP_TO_DATE',
      status_details: { status: 'CANCELED' },
    });
    expect(await status(ids['app']!)).toMatchObject({ state: 'CANCELED', service_deployment_status: 'UP_TO_DATE' });
    expect((await status(ids['db']!)).steps?.details.at(-1)).toMatchObject({
      step_name: 'DEPLOYMENT',
      status: 'CANCELED',
    });
    expect(await fixture.engine.environmentStatus(fixture.db, environmentId)).toMatchObject({
      state: 'CANCELED',
      deployment_status: 'UP_TO_DATE',
    });
    const events = await fixture.db
      .selectFrom('audit_event')
      .select(['event_type', 'change'])
      .where('target_id', '=', ids['app']!)
      .orderBy('seq')
      .execute();
    expect(
      events.map(({ event_type: type, change }) => [type, (JSON.parse(change) as { state: string }).state]),
    ).toEqual([
      ['DEPLOYED', 'DEPLOYED'],
      ['DEPLOY_FAILED', 'CANCELED'],
    ]);
  });

  test('lets the next in the queue begin', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'cancel queue', { db: { kind: 'database' } });
    await fixture.order({ environmentId, serviceIds: [ids['db']!] });
    const second = await fixture.order({ environmentId, serviceIds: [ids['db']!] });
    await fixture.db.write((trx) => fixture.engine.cancel(trx, environmentId));
    fixture.engine.wake();
    await settle();
    expect(await status(ids['db']!)).toMatchObject({ state: 'DEPLOYED', deployment_request_id: second });
  });

  test('is refused where nothing is under way, or twice', async () => {
    const { environmentId, ids } = await deployed('cancel nothing', { db: { kind: 'database' } });
    const cancel = () => fixture.db.write((trx) => fixture.engine.cancel(trx, environmentId));
    await expect(cancel()).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('no deployment under way'),
    });
    await fixture.order({ environmentId, serviceIds: [ids['db']!] });
    await cancel();
    await expect(cancel()).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('being canceled already'),
    });
    await settle();
  });
});

const setTag = async (id: string, tag: string): Promise<void> => {
  await fixture.db.write(async (trx) => {
    const { spec } = await trx.selectFrom('service').select('spec').where('id', '=', id).executeTakeFirstOrThrow();
    const changed = JSON.stringify({ ...(JSON.parse(spec) as object), tag });
    await trx.updateTable('service').set({ spec: changed }).where('id', '=', id).execute();
    await fixture.engine.markOutOfDate(trx, [id]);
  });
};
const setVariable = async (id: string, value: string): Promise<void> => {
  const row = { id, value, key: 'MODE', scope: 'CONTAINER', variable_type: 'VALUE', service_id: id } as const;
  await fixture.db.write(async (trx) => {
    await trx
      .insertInto('variable')
      .values({
        ...row,
        created_at: '2026-01-05T08:00:00.000Z',
        updated_at: '2026-01-05T08:00:00.000Z',
        project_id: null,
        environment_id: null,
        sealed_value: null,
        mount_path: null,
        description: null,
        enable_interpolation_in_file: null,
        linked_variable_id: null,
        owned_by: null,
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ value }))
      .execute();
    await fixture.engine.variableChanged(trx, [id]);
  });
};

describe('configuration', () => {
  test.each([
    ['with another configuration, which it did not deploy', 'OUT_OF_DATE', [() => setTag, '2']],
    ['with the configuration that it deployed', 'UP_TO_DATE', [() => setTag, '2', '1.4.2']],
    ['with another variable', 'OUT_OF_DATE', [() => setVariable, '2']],
    // Which of the values it read isn't known.
    ['with a variable that was set and set back', 'OUT_OF_DATE', [() => setVariable, '2', '1']],
  ] as const)(
    'changed while a deployment is under way leaves a service %s: %s',
    async (_, expected, [set, ...values]) => {
      const { environmentId, ids } = await addEnvironment(fixture.db, `edited ${values.join(' ')} ${expected} ${_}`, {
        web: { kind: 'container' },
        later: { kind: 'container' },
      });
      const [web, later] = [ids['web']!, ids['later']!];
      await setVariable(web, '1');
      await fixture.order({ environmentId, serviceIds: [web] });
      await fixture.order({ environmentId, serviceIds: [later] });
      await fixture.until(clock, async () => (await status(web)).state === 'DEPLOYING');
      for (const value of values) {
        await set()(web, value);
        await setTag(later, value);
      }
      await settle();
      expect(await status(web)).toMatchObject({ state: 'DEPLOYED', service_deployment_status: expected });
      // Its turn had not come: what it deployed is the changed configuration.
      expect(await status(later)).toMatchObject({ state: 'DEPLOYED', service_deployment_status: 'UP_TO_DATE' });
      if (set() !== setVariable) return;
      // Nor is it known afterwards, until the next deployment.
      await setVariable(web, '3');
      await setVariable(web, values.at(-1)!);
      expect(await status(web)).toMatchObject({ service_deployment_status: 'OUT_OF_DATE' });
    },
  );

  test('never deployed stays so when it changes', async () => {
    const { ids } = await addEnvironment(fixture.db, 'never', { app: { kind: 'application' } });
    await fixture.engine.markOutOfDate(fixture.db, Object.values(ids));
    const never = await status(ids['app']!);
    expect(never).toMatchObject({
      state: 'READY',
      service_deployment_status: 'NEVER_DEPLOYED',
      status_details: { action: 'UNKNOWN', status: 'NEVER' },
    });
    for (const member of ['deployment_request_id', 'steps', 'last_deployment_date', 'execution_id'])
      expect(never).not.toHaveProperty(member);
  });
});

/** Why an order is refused; 'accepted' when it isn't. */
const refusal = (order: Parameters<EngineFixture['order']>[0]) =>
  fixture.order(order).then(
    () => 'accepted',
    (error: Error) => error.message,
  );

describe('an order is refused', () => {
  test('for a restart of what does not run', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'refusals', { app: { kind: 'application' } });
    expect(await refusal({ environmentId, serviceIds: [ids['app']!], action: 'RESTART' })).toBe(
      `app (application ${ids['app']!}) can't be restarted: it is READY; deploy it first.`,
    );
    broken.add('app');
    await fixture.order({ environmentId, serviceIds: [ids['app']!] });
    await settle();
    broken.delete('app');
    expect(await refusal({ environmentId, serviceIds: [ids['app']!], action: 'RESTART' })).toContain(
      'no deployment of it has succeeded yet, it is BUILD_ERROR',
    );
  });

  test('while the cluster is locked, until the lock is over, and leaves nothing behind', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'locked', { app: { kind: 'application' } });
    await fixture.db
      .insertInto('cluster_lock')
      .values({
        cluster_id: clusterId,
        reason: 'incident 42',
        locked_at: new Date(clock.now()).toISOString(),
        owner_name: 'Nora',
        ttl_in_days: 1,
      })
      .execute();
    expect(await refusal({ environmentId, serviceIds: [ids['app']!] })).toMatch(
      /is locked by Nora until .*: "incident 42"\./,
    );
    expect(await status(ids['app']!)).toMatchObject({ state: 'READY', deployment_requests_count: 0 });
    clock.advance(24 * 3_600_000);
    expect(await refusal({ environmentId, serviceIds: [ids['app']!] })).toBe('accepted');
    await fixture.db.deleteFrom('cluster_lock').execute();
    await settle();
  });

  test('for a service of another environment, and for nothing at all unless it is a stop', async () => {
    const one = await addEnvironment(fixture.db, 'one', { app: { kind: 'application' } });
    const other = await addEnvironment(fixture.db, 'other', {});
    expect(await refusal({ environmentId: other.environmentId, serviceIds: [one.ids['app']!] })).toContain(
      one.ids['app'],
    );
    expect(await refusal({ environmentId: other.environmentId, serviceIds: [] })).toContain(
      'has no services that could be deployed',
    );
    expect(await refusal({ environmentId: other.environmentId, serviceIds: [], action: 'STOP' })).toBe('accepted');
  });
});

describe('answers', () => {
  test('have every member of the contract while a deployment runs and after it', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'answers', kinds);
    const check = async () => {
      EnvironmentStatus.parse(await fixture.engine.environmentStatus(fixture.db, environmentId));
      DeploymentHistory.parse(
        await fixture.engine.environmentHistory(fixture.db, environmentId, { page: 1, pageSize: 20 }),
      );
      EnvironmentLog.parse(await fixture.engine.environmentLogs(fixture.db, environmentId));
      for (const id of Object.values(ids)) {
        ServiceDeploymentStatus.parse(await status(id));
        DeploymentHistory.parse(await fixture.engine.serviceHistory(fixture.db, id, { page: 1, pageSize: 20 }));
        Log.parse(await fixture.engine.logs(fixture.db, id));
      }
    };
    await check();
    await fixture.order({ environmentId, serviceIds: Object.values(ids) });
    await fixture.until(clock, async () => {
      await check();
      return (await status(ids['app']!)).state === 'DEPLOYED';
    });
    await settle();
    await check();
  });

  test('tell the steps with their seconds, the total once it is over', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'steps', { app: { kind: 'application' } });
    const id = await fixture.order({
      environmentId,
      serviceIds: [ids['app']!],
      origin: 'CLI',
      triggeredBy: 'deploy bot',
      commitId: 'a1b2c3d',
    });
    await fixture.until(clock, async () => (await status(ids['app']!)).state === 'DEPLOYING');
    const running = await status(ids['app']!);
    expect(running).toMatchObject({
      steps: { total_duration_sec: 0, total_computing_duration_sec: 0 },
      status_details: { status: 'ONGOING' },
    });
    expect(await fixture.engine.environmentStatus(fixture.db, environmentId)).toMatchObject({
      total_deployment_duration_in_seconds: null,
    });
    await settle();
    const { steps } = await status(ids['app']!);
    expect(steps?.details.map((step) => step.step_name)).toEqual([
      'DEPLOYMENT_QUEUEING',
      'GIT_CLONE',
      'BUILD',
      'DEPLOYMENT',
      'ROUTER_DEPLOYMENT',
    ]);
    expect(steps?.total_duration_sec).toBeGreaterThan(steps!.total_computing_duration_sec - 1);
    const environment = await fixture.engine.environmentStatus(fixture.db, environmentId);
    expect(environment).toMatchObject({
      origin: 'CLI',
      triggered_by: 'deploy bot',
      last_deployment_id: id,
      last_deployment_state: 'DEPLOYED',
    });
    expect(environment.metrics?.[0]?.details.map((detail) => detail.step_name)).toEqual([
      'TOTAL',
      'GIT_CLONE',
      'BUILD',
      'DEPLOYMENT',
      'ROUTER_DEPLOYMENT',
    ]);
    const [item] = (await fixture.engine.serviceHistory(fixture.db, ids['app']!, { page: 1, pageSize: 1 })).results;
    expect(item).toMatchObject({
      identifier: { name: 'app', service_type: 'APPLICATION', execution_id: id },
      status: 'DEPLOYED',
      auditing_data: { triggered_by: 'deploy bot', origin: 'CLI' },
      details: {
        commit: { git_commit_id: 'a1b2c3d', commit_page_url: 'https://git.example.com/acme/shop/commit/a1b2c3d' },
      },
    });
    expect(item?.total_duration).toMatch(/^PT(\d+M)?(\d+S)?$/);
  });

  test('page through a history, newest first', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'history', { db: { kind: 'database' } });
    const orders: string[] = [];
    for (let count = 0; count < 5; count += 1)
      orders.push(await fixture.order({ environmentId, serviceIds: [ids['db']!] }));
    await settle();
    const page = async (number: number) =>
      (await fixture.engine.serviceHistory(fixture.db, ids['db']!, { page: number, pageSize: 2 })).results.map(
        (item) => item.identifier.execution_id,
      );
    expect([...(await page(1)), ...(await page(2)), ...(await page(3))]).toEqual(orders.toReversed());
  });
});

describe('logs', () => {
  test('come as time passes, are the same lines at the end, and say that they are simulated', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'logs', { app: { kind: 'application' } });
    await fixture.order({ environmentId, serviceIds: [ids['app']!] });
    await fixture.until(
      clock,
      async () => (await status(ids['app']!)).steps?.details.some((step) => step.step_name === 'GIT_CLONE') ?? false,
    );
    const early = (await fixture.engine.logs(fixture.db, ids['app']!)).results;
    await settle();
    const { results } = await fixture.engine.logs(fixture.db, ids['app']!);
    expect(results.slice(0, early.length)).toEqual(early);
    expect(results.length).toBeGreaterThan(early.length);
    expect(results[0]?.message).toContain('simulated');
    expect(results.map((line) => line.created_at)).toEqual(results.map((line) => line.created_at).toSorted());
    expect((await fixture.engine.logs(fixture.db, ids['app']!, 3)).results).toEqual(results.slice(-3));
  });

  test('go on with what the running version says', async () => {
    const { ids } = await deployed('running', { app: { kind: 'application' } });
    const before = (await fixture.engine.logs(fixture.db, ids['app']!)).results;
    clock.advance(240_000);
    const after = (await fixture.engine.logs(fixture.db, ids['app']!)).results;
    expect(after.length).toBe(before.length + 4);
    expect(after.slice(0, before.length)).toEqual(before);
  });

  test('of an environment tell step and service', async () => {
    const { environmentId, ids } = await deployed('environment log', {
      db: { kind: 'database' },
      app: { kind: 'application' },
    });
    const { results } = await fixture.engine.environmentLogs(fixture.db, environmentId);
    expect(results.map((line) => line.created_at)).toEqual(results.map((line) => line.created_at).toSorted());
    expect(new Set(results.map((line) => line.step))).toEqual(
      new Set(['DEPLOYMENT', 'GIT_CLONE', 'BUILD', 'ROUTER_DEPLOYMENT']),
    );
    expect(new Set(results.map((line) => line.service_name))).toEqual(new Set(Object.keys(ids)));
  });

  test('are bounded: the newest 1000 lines of a deployment, the logs of the newest 20 deployments', async () => {
    const other = await openEngineFixture({
      faults: ({ seconds }) => ({ seconds, lines: Array.from({ length: 1200 }, (_, index) => `line ${index}`) }),
    });
    const { environmentId, ids } = await addEnvironment(other.db, 'bounded', { db: { kind: 'database' } });
    for (let count = 0; count < 22; count += 1) await other.order({ environmentId, serviceIds: [ids['db']!] });
    await other.settled();
    const keptLines = await other.db
      .selectFrom('log_line')
      .select(({ fn }) => ['deployment_id', fn.countAll<number>().as('lines')])
      .groupBy('deployment_id')
      .execute();
    expect(keptLines.map((row) => row.lines)).toEqual(Array.from({ length: 20 }, () => 1000));
    const { results } = await other.engine.logs(other.db, ids['db']!);
    expect([results.length, results.at(-1)?.message]).toEqual([1000, 'line 1199']);
    await other.close();
  });
});

test('an order carried out in the past leaves what the engine would have left, in its time', async () => {
  const { environmentId, ids } = await addEnvironment(fixture.db, 'past', {
    db: { kind: 'database' },
    app: { kind: 'application' },
  });
  const at = Date.parse('2025-12-24T10:00:00.000Z');
  const { id, endedAt } = await replayOrder(
    fixture.db,
    { random: systemRandom, vault: createVault(randomBytes(32)) },
    { environmentId, serviceIds: Object.values(ids), action: 'DEPLOY', origin: 'GIT', triggeredBy: 'push', at },
  );
  expect(endedAt).toBeGreaterThan(at);
  expect(endedAt).toBeLessThan(at + 120_000);
  expect(await status(ids['app']!)).toMatchObject({
    state: 'DEPLOYED',
    service_deployment_status: 'UP_TO_DATE',
    deployment_request_id: id,
    last_deployment_date: new Date(endedAt).toISOString(),
  });
  const { results } = await fixture.engine.environmentLogs(fixture.db, environmentId);
  expect(
    results.every(
      (line) => line.created_at >= '2025-12-24T10:00' && line.created_at <= new Date(endedAt).toISOString(),
    ),
  ).toBe(true);
});

test('the same deployment tells the same story', async () => {
  const task: Task = {
    deploymentId: '5a2c0e7e-1111-4111-8111-111111111111',
    fencingToken: 1,
    action: 'DEPLOY',
    beganAt: 0,
    deadline: 1e9,
    commitId: 'a1b2c3d',
    phase: { state: 'BUILDING', step: 'BUILD', operation: 'build', limitSeconds: 60, onFailure: 'BUILD_ERROR' },
    service: {
      kind: 'application',
      id: 'x',
      name: 'app',
      environmentId: 'y',
      spec: { git_repository: { url: 'https://git.example.com/a/b' }, dockerfile_path: 'Dockerfile' },
    } as Task['service'],
  };
  const call = {
    inputs: async () => ({ variables: [] }),
    confirm: async () => undefined,
    signal: new AbortController().signal,
  };
  expect(await fixture.runtime.observe(task, null, call)).toEqual(await fixture.runtime.observe(task, null, call));
});
