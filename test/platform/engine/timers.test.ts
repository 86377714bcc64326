import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { duration } from '../../../src/platform/engine/context.ts';
import { systemRandom } from '../../../src/platform/common/index.ts';
import {
  addEnvironment,
  clusterId,
  manualClock,
  openEngineFixture,
  organizationId,
  type EngineFixture,
} from './engine-fixture.ts';

const clock = manualClock();
let fixture: EngineFixture;
beforeAll(async () => {
  fixture = await openEngineFixture({
    clock,
    timeScale: 1,
    faults: ({ task }) => (task.service.name === 'long' ? { seconds: 400, lines: [] } : undefined),
  });
});
afterAll(() => fixture.close());

test.each([
  [0.05, 500],
  [0, 0],
  [1, 10_000],
  [2, 20_000],
])('a time scale of %s makes of ten seconds that many milliseconds: %i', (timeScale, milliseconds) => {
  expect(duration({ timeScale }, [10, 10], 'any')).toBe(milliseconds);
});

const stamp = () => ({
  created_at: new Date(clock.now()).toISOString(),
  updated_at: new Date(clock.now()).toISOString(),
});

/** Moves the clock to the next timer until there is none, or none within the limit; returns what was seen each time. */
const through = async <Seen>(observe: () => Promise<Seen>, limitMilliseconds = 3_600_000): Promise<Seen[]> => {
  const observed = [await observe()];
  const until = clock.now() + limitMilliseconds;
  for (;;) {
    await fixture.until(
      undefined,
      async () =>
        (await fixture.db.selectFrom('timer').select('kind').where('due_ms', '<=', clock.now()).execute()).length === 0,
    );
    observed.push(await observe());
    const next = await fixture.db
      .selectFrom('timer')
      .select(({ fn }) => fn.min('due_ms').as('due'))
      .executeTakeFirstOrThrow();
    if (next.due === null || next.due > until) return observed;
    clock.advance(next.due - clock.now());
  }
};

/** Without what repeats itself. */
const changes = (values: readonly unknown[]): unknown[] =>
  values.filter((value, index) => JSON.stringify(value) !== JSON.stringify(values[index - 1]));

const upgrade = () => fixture.db.write((trx) => fixture.engine.upgradeCluster(trx, clusterId));
const cluster = () =>
  fixture.db.selectFrom('cluster').selectAll().where('id', '=', clusterId).executeTakeFirstOrThrow();

const addRule = async (rule: {
  target_id: string;
  promql?: string;
  operator?: string;
  threshold?: number;
  enabled?: 0 | 1;
  receivers?: string[];
}) => {
  const id = systemRandom.uuid();
  await fixture.db
    .insertInto('alert_rule')
    .values({
      id,
      ...stamp(),
      organization_id: organizationId,
      name: 'errors',
      cluster_id: clusterId,
      description: '',
      tag: '',
      condition: JSON.stringify({
        kind: 'CUSTOM',
        promql: rule.promql ?? 'rate(errors[5m])',
        operator: rule.operator ?? 'NONE',
        threshold: rule.threshold ?? 0,
        function: 'NONE',
      }),
      for_duration: 'PT1M30S',
      severity: 'HIGH',
      enabled: rule.enabled ?? 1,
      alert_receiver_ids: JSON.stringify(rule.receivers ?? ['someone']),
      presentation: '{}',
      source: 'MANAGED',
      state: 'OK',
      target_type: 'APPLICATION',
      target_id: rule.target_id,
      is_up_to_date: 1,
      starts_at: null,
    })
    .execute();
  await fixture.db.write((trx) => fixture.engine.alertRuleChanged(trx, id));
  fixture.engine.wake();
  return id;
};
const rule = (id: string) =>
  fixture.db.selectFrom('alert_rule').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const states = async (id: string, limit?: number) =>
  changes(
    await through(async () => {
      const { state, is_up_to_date, starts_at } = await rule(id);
      return [state, is_up_to_date === 1, starts_at !== null];
    }, limit),
  );

describe('a cluster upgrade', () => {
  test('goes through its states to the next version, and offers the one after', async () => {
    const { id } = await upgrade();
    fixture.engine.wake();
    await expect(upgrade()).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('while it is DEPLOYMENT_QUEUED'),
    });
    const observed = await through(async () => {
      const { status, version, next_version } = await cluster();
      return [status, version, next_version];
    });
    expect(changes(observed)).toEqual([
      ['DEPLOYMENT_QUEUED', '1.32', '1.33'],
      ['DEPLOYING', '1.32', '1.33'],
      ['DEPLOYED', '1.33', '1.34'],
    ]);
    expect(await cluster()).toMatchObject({
      last_execution_id: id,
      last_deployment_at: new Date(clock.now()).toISOString(),
    });
  });

  test('is refused without a newer version, and while the cluster is locked', async () => {
    await fixture.db.updateTable('cluster').set({ next_version: null }).execute();
    await expect(upgrade()).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('no newer version is available'),
    });
    await fixture.db.updateTable('cluster').set({ next_version: '1.34' }).execute();
    await fixture.db
      .insertInto('cluster_lock')
      .values({
        cluster_id: clusterId,
        reason: 'freeze',
        locked_at: stamp().created_at,
        owner_name: 'Ada',
        ttl_in_days: 5,
      })
      .execute();
    await expect(upgrade()).rejects.toMatchObject({ status: 400, message: expect.stringContaining('locked by Ada') });
    await fixture.db.deleteFrom('cluster_lock').execute();
  });
});

const historyOf = async (id: string) =>
  (await fixture.engine.serviceHistory(fixture.db, id, { page: 1, pageSize: 50 })).results
    .toReversed()
    .map((item) => [
      item.auditing_data.created_at,
      item.auditing_data.origin,
      item.auditing_data.triggered_by,
      item.status,
    ]);
const pass = async (milliseconds: number) => {
  await through(async () => fixture.settled(clock), milliseconds);
  await fixture.settled(clock);
};

const scheduleMessages = async (id: string) =>
  (await fixture.engine.logs(fixture.db, id)).results
    .filter(({ pod_name: pod }) => pod === 'schedule')
    .map(({ message }) => message);

const nextDue = async (table: 'timer' | 'deployment'): Promise<number> =>
  (
    await fixture.db
      .selectFrom(table)
      .select(({ fn }) => fn.min('due_ms').as('due'))
      .executeTakeFirst()
  )?.due ?? Infinity;

/** Moves the clock from one due moment to the next, of timers and deployments alike. */
const throughEverything = async (milliseconds: number): Promise<void> => {
  const until = clock.now() + milliseconds;
  for (;;) {
    let next = 0;
    await fixture.until(
      undefined,
      async () => (next = Math.min(await nextDue('timer'), await nextDue('deployment'))) > clock.now(),
    );
    if (next > until) return;
    clock.advance(next - clock.now());
  }
};

describe('a scheduled job', () => {
  test('runs by its schedule once it is deployed, which only its history and log show', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'scheduled', { job: { kind: 'job' } });
    const id = await fixture.order({ environmentId, serviceIds: [ids['job']!], triggeredBy: 'Nora' });
    await fixture.settled(clock);
    const before = await fixture.engine.serviceStatus(fixture.db, ids['job']!);
    await pass(16 * 60_000);
    const [first, ...runs] = await historyOf(ids['job']!);
    expect(first?.slice(1)).toEqual(['API', 'Nora', 'DEPLOYED']);
    expect(runs.map(([, ...rest]) => rest)).toEqual([1, 2, 3].map(() => ['SERVICE_INTERNAL', 'schedule', 'DEPLOYED']));
    for (const [at] of runs) expect(at).toMatch(/:[0-5][05]:00\.000Z$/);
    expect(await fixture.engine.serviceStatus(fixture.db, ids['job']!)).toEqual(before);
    expect(await fixture.engine.environmentStatus(fixture.db, environmentId)).toMatchObject({
      deployment_request_id: id,
      state: 'DEPLOYED',
    });
    expect(
      (await fixture.engine.environmentHistory(fixture.db, environmentId, { page: 1, pageSize: 50 })).results,
    ).toHaveLength(1);
    const said = (await fixture.engine.logs(fixture.db, ids['job']!)).results.filter(({ message }) =>
      message.includes('Job finished with exit code 0'),
    );
    expect(said).toHaveLength(4);
  });

  test('leaves out the runs that nobody was there for, and counts them in its log', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'missed', { job: { kind: 'job' } });
    await fixture.order({ environmentId, serviceIds: [ids['job']!] });
    await fixture.settled(clock);
    clock.advance(3 * 3_600_000 + 61_000);
    await through(async () => undefined, 0);
    expect(await historyOf(ids['job']!)).toHaveLength(1);
    const timer = await fixture.db
      .selectFrom('timer')
      .select('due_ms')
      .where('subject_id', '=', ids['job']!)
      .executeTakeFirstOrThrow();
    expect(timer.due_ms).toBeGreaterThan(clock.now());
    const [said, ...others] = await scheduleMessages(ids['job']!);
    const [, count, first, last] =
      /^Missed (\d+) runs that were due from (\S+) to (\S+), because the platform was not running then\. They are not made up for\.$/.exec(
        said!,
      )!;
    expect([Number(count), others]).toEqual([36, []]);
    expect(Date.parse(last!) - Date.parse(first!)).toBe(35 * 300_000);
    expect(clock.now() - Date.parse(last!)).toBeLessThan(300_000 + 60_000);
  });

  test('starts the run that is due just now, after those that were missed', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'just in time', { job: { kind: 'job' } });
    await fixture.order({ environmentId, serviceIds: [ids['job']!] });
    await fixture.settled(clock);
    const { due_ms: due } = await fixture.db
      .selectFrom('timer')
      .select('due_ms')
      .where('subject_id', '=', ids['job']!)
      .executeTakeFirstOrThrow();
    clock.advance(due + 300_000 + 30_000 - clock.now());
    await through(async () => undefined, 0);
    expect(await scheduleMessages(ids['job']!)).toEqual([
      `Missed the run that was due at ${new Date(due).toISOString()}, because the platform was not running then. It is not made up for.`,
    ]);
    expect(await historyOf(ids['job']!)).toHaveLength(2);
    await fixture.settled(clock);
  });

  test('does not run while it runs: what comes due meanwhile is left out, with a line in its log', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'overlapping', { long: { kind: 'job' } });
    await fixture.order({ environmentId, serviceIds: [ids['long']!] });
    await fixture.settled(clock);
    await throughEverything(30 * 60_000);
    const runs = (await historyOf(ids['long']!)).slice(1).map(([at]) => Date.parse(at!));
    expect(runs).toHaveLength(3);
    expect(runs.map((at) => at - runs[0]!)).toEqual([0, 600_000, 1_200_000]);
    for (const message of await scheduleMessages(ids['long']!))
      expect(message).toMatch(
        /^Left out the run that was due at \S+: the job is still busy with deployment [0-9a-f-]{36}\.$/,
      );
    expect(await scheduleMessages(ids['long']!)).toHaveLength(runs.length);
  });

  test('is not canceled with its environment: the refusal says what ends its run', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'not canceled', { long: { kind: 'job' } });
    await fixture.order({ environmentId, serviceIds: [ids['long']!] });
    await fixture.settled(clock);
    const { due_ms: due } = await fixture.db
      .selectFrom('timer')
      .select('due_ms')
      .where('subject_id', '=', ids['long']!)
      .executeTakeFirstOrThrow();
    clock.advance(due - clock.now());
    await fixture.until(undefined, async () => (await historyOf(ids['long']!)).length === 2);
    await expect(fixture.db.write((trx) => fixture.engine.cancel(trx, environmentId))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('only runs of long. Cancel a run at its job'),
    });
    await fixture.order({ environmentId, serviceIds: [ids['long']!], action: 'STOP' });
    await fixture.settled(clock);
  });

  test('no longer runs once it is stopped', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'stopped job', { job: { kind: 'job' } });
    for (const action of ['DEPLOY', 'STOP'] as const)
      await fixture.order({ environmentId, serviceIds: [ids['job']!], action });
    await fixture.settled(clock);
    await pass(16 * 60_000);
    expect(await historyOf(ids['job']!)).toHaveLength(2);
  });

  test('does not run by itself if its first run fails, nor by the schedule of a version that fails: the log of the deployment says so', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'failing job', {
      job: { kind: 'job', spec: { max_duration_seconds: 1, max_nb_restart: 0 } },
    });
    const job = ids['job']!;
    const change = async (members: object) => {
      const { spec } = await fixture.db
        .selectFrom('service')
        .select('spec')
        .where('id', '=', job)
        .executeTakeFirstOrThrow();
      await fixture.db
        .updateTable('service')
        .set({ spec: JSON.stringify({ ...(JSON.parse(spec) as object), ...members }) })
        .where('id', '=', job)
        .execute();
    };
    const deploy = async () => {
      await fixture.order({ environmentId, serviceIds: [job] });
      await fixture.settled(clock);
    };
    await deploy();
    expect(await scheduleMessages(job)).toEqual([
      'The schedule of this version does not begin, because this deployment did not end well. No run starts by itself until a deployment of the job ends well.',
    ]);
    expect(await fixture.db.selectFrom('timer').selectAll().where('subject_id', '=', job).execute()).toEqual([]);
    await change({ max_duration_seconds: 600 });
    await deploy();
    const { due_ms: due } = await fixture.db
      .selectFrom('timer')
      .select('due_ms')
      .where('subject_id', '=', job)
      .executeTakeFirstOrThrow();
    await change({
      max_duration_seconds: 1,
      schedule: { cronjob: { scheduled_at: '0 3 1 1 *', timezone: 'Etc/UTC' } },
    });
    await deploy();
    expect((await scheduleMessages(job)).at(-1)).toBe(
      `The schedule of this version does not begin, because this deployment did not end well. The version before it goes on running by its own, the next time at ${new Date(due).toISOString()}.`,
    );
    await fixture.order({ environmentId, serviceIds: [job], action: 'STOP' });
    await fixture.settled(clock);
  });

  test('of no schedule, or one that can not be read, does not run by itself', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'unscheduled', {
      once: { kind: 'job', spec: { job_type: 'LIFECYCLE', schedule: undefined } },
      odd: { kind: 'job', spec: { schedule: { cronjob: { scheduled_at: 'at noon', timezone: 'Etc/UTC' } } } },
    });
    await fixture.order({ environmentId, serviceIds: Object.values(ids) });
    await fixture.settled(clock);
    expect(
      await fixture.db.selectFrom('timer').selectAll().where('subject_id', 'in', Object.values(ids)).execute(),
    ).toEqual([]);
  });
});

const silence = async (id: string, until: string | null) => {
  const present = await rule(id);
  await fixture.db.write((trx) =>
    fixture.engine.silenceAlertRule(trx, present, until === null ? null : { until, reason: 'Load test.' }),
  );
  fixture.engine.wake();
};
const inSeconds = (seconds: number) => new Date(clock.now() + seconds * 1000).toISOString();

describe('an alert rule', () => {
  beforeAll(async () => {
    // Runs of jobs that the clock has passed by would move it on.
    await fixture.db.deleteFrom('timer').where('kind', '=', 'JOB_RUN').execute();
    await fixture.settled(clock);
  });

  test('that was edited is rolled out, and stays OK while its target is well', async () => {
    const { ids } = await addEnvironment(fixture.db, 'well', { app: { kind: 'application' } });
    expect(await states(await addRule({ target_id: ids['app']! }))).toEqual([
      ['UNDEPLOYED', false, false],
      ['OK', true, false],
    ]);
  });

  test('fires after its duration while its target has failed, and is OK when that runs again', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'ill', {
      infra: { kind: 'terraform', spec: { timeout_sec: 1 } },
    });
    const id = await addRule({ target_id: ids['infra']! });
    await through(() => rule(id));
    await fixture.order({ environmentId, serviceIds: [ids['infra']!] });
    await fixture.settled(clock);
    const failedAt = clock.now();
    expect(await states(id)).toEqual([
      ['OK', true, false],
      ['TRIGGERED', true, true],
      ['PENDING_NOTIFICATION', true, true],
      ['NOTIFIED', true, true],
    ]);
    expect((await rule(id)).starts_at).toBe(new Date(failedAt + 90_000).toISOString());
    const { spec } = await fixture.db
      .selectFrom('service')
      .select('spec')
      .where('id', '=', ids['infra']!)
      .executeTakeFirstOrThrow();
    await fixture.db
      .updateTable('service')
      .set({ spec: JSON.stringify({ ...(JSON.parse(spec) as object), timeout_sec: 600 }) })
      .where('id', '=', ids['infra']!)
      .execute();
    await fixture.order({ environmentId, serviceIds: [ids['infra']!] });
    await fixture.settled(clock);
    expect((await states(id)).at(-1)).toEqual(['OK', true, false]);
  });

  test('on a cluster watches all it hosts', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'hosted', {
      infra: { kind: 'terraform', spec: { timeout_sec: 1 } },
    });
    const id = await addRule({ target_id: clusterId });
    await through(() => rule(id));
    await fixture.order({ environmentId, serviceIds: [ids['infra']!] });
    await fixture.settled(clock);
    expect((await states(id)).at(-1)).toEqual(['NOTIFIED', true, true]);
    await fixture.order({ environmentId, serviceIds: [ids['infra']!], action: 'STOP' });
    await fixture.settled(clock);
    expect((await states(id)).at(-1)).toEqual(['OK', true, false]);
  });

  test.each([
    ['vector(1)', 'NONE', 0, 'NOTIFIED'],
    ['0', 'NONE', 0, 'OK'],
    ['vector( 5 )', 'ABOVE', 4, 'NOTIFIED'],
    ['5', 'BELOW', 5, 'OK'],
  ])('on the constant %s %s %d ends %s', async (promql, operator, threshold, end) => {
    const id = await addRule({ target_id: systemRandom.uuid(), promql, operator, threshold });
    expect((await states(id)).at(-1)).toEqual([end, true, end === 'NOTIFIED']);
  });

  test('that fires is SUPPRESSED while it is silenced, and told of when the silence ends', async () => {
    const id = await addRule({ target_id: systemRandom.uuid(), promql: '1' });
    await states(id);
    await silence(id, inSeconds(600));
    await silence(id, inSeconds(1200));
    expect(await states(id, 1_000_000)).toEqual([['SUPPRESSED', true, true]]);
    const silent = clock.now();
    expect(await states(id)).toEqual([
      ['SUPPRESSED', true, true],
      ['PENDING_NOTIFICATION', true, true],
      ['NOTIFIED', true, true],
    ]);
    expect(clock.now()).toBeGreaterThan(silent);
  });

  test('that begins to fire in a silence is SUPPRESSED, and told of when the silence is ended earlier', async () => {
    const id = await addRule({ target_id: systemRandom.uuid(), promql: '1' });
    await silence(id, inSeconds(86_400));
    expect((await states(id)).at(-1)).toEqual(['SUPPRESSED', true, true]);
    await silence(id, null);
    expect((await states(id)).at(-1)).toEqual(['NOTIFIED', true, true]);
    expect(await rule(id)).toMatchObject({ silenced_until: null, silence_reason: null });
  });

  test('that is deleted leaves no timer', async () => {
    const id = await addRule({ target_id: systemRandom.uuid(), promql: '1' });
    await fixture.db.write((trx) => fixture.engine.deleteAlertRule(trx, id));
    expect(await fixture.db.selectFrom('timer').selectAll().where('subject_id', '=', id).execute()).toEqual([]);
    expect(await fixture.db.selectFrom('alert_rule').selectAll().where('id', '=', id).execute()).toEqual([]);
  });

  test('on an environment watches the services in it', async () => {
    const { environmentId, ids } = await addEnvironment(fixture.db, 'watched', {
      infra: { kind: 'terraform', spec: { timeout_sec: 1 } },
    });
    const id = await addRule({ target_id: environmentId });
    await through(() => rule(id));
    await fixture.order({ environmentId, serviceIds: [ids['infra']!] });
    await fixture.settled(clock);
    expect((await states(id)).at(-1)).toEqual(['NOTIFIED', true, true]);
  });

  test('without a receiver is UNROUTED, and disabled it is not deployed', async () => {
    const unrouted = await addRule({ target_id: systemRandom.uuid(), promql: '1', receivers: [] });
    expect((await states(unrouted)).at(-1)).toEqual(['UNROUTED', true, true]);
    const disabled = await addRule({ target_id: systemRandom.uuid(), promql: '1', enabled: 0 });
    expect((await states(disabled)).at(-1)).toEqual(['UNDEPLOYED', true, false]);
  });
});
