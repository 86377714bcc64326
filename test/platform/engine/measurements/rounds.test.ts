import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Reason } from '../../../../src/contract/index.ts';
import { silentLog, systemRandom } from '../../../../src/platform/common/index.ts';
import { advanceAlertRule, alertRuleChanged, alertRuleProblems } from '../../../../src/platform/engine/alert-rules.ts';
import { evaluatingOf } from '../../../../src/platform/engine/alert-evaluation.ts';
import { notifyingOf } from '../../../../src/platform/engine/alert-notifications.ts';
import type { EngineContext } from '../../../../src/platform/engine/index.ts';
import type { LeaderLocks } from '../../../../src/platform/engine/leader-locks.ts';
import { measuringOf } from '../../../../src/platform/engine/measurements/measure.ts';
import type { PrometheusValues } from '../../../../src/platform/engine/prometheus.ts';
import { type Measured, runtimesOf } from '../../../../src/platform/runtime/index.ts';
import { createSimulatedRuntime } from '../../../../src/platform/runtime/simulated/index.ts';
import { refusingHost, startReceiver } from '../../../support/webhook-receiver.ts';
import { addEnvironment, clusterId, type EngineFixture, manualClock, openEngineFixture } from '../engine-fixture.ts';
import { addAlertRule } from '../alert-rule-fixture.ts';

const interval = 20_000;
const one = { id: 'one', name: 'node-1', isReady: true, restarts: 0 };
const clock = manualClock();
const { signal } = new AbortController();
let fixture: EngineFixture;
let context: EngineContext;
let leaderLocks: LeaderLocks;
let ids: Record<string, string>;
/** What the meter tells next; a round of a service that uses half a CPU by default. */
let measured: () => Measured;
let begun: number;
let isLeader: boolean;
let measure: () => Promise<void>;

beforeEach(async () => {
  fixture = await openEngineFixture({ started: false });
  [begun, isLeader] = [0, true];
  await fixture.db.updateTable('cluster').set({ runtime: 'real' }).execute();
  ({ ids } = await addEnvironment(fixture.db, 'measured', {
    web: { kind: 'container' },
    other: { kind: 'container' },
  }));
  await fixture.db.updateTable('service').set({ deployed_record: '{}' }).execute();
  const use = (serviceId: string) => ({
    serviceId,
    id: serviceId,
    node: 'one',
    at: clock.now(),
    cpuNanoseconds: clock.now() * 0.5e6,
    memory: 900,
    received: 0,
    sent: 0,
    cpuLimit: 1000,
    memoryLimit: 1000,
  });
  measured = () => ({ nodes: [one], instances: [ids['web']!, ids['other']!].map(use), unmeasured: [] });
  const meter = {
    interval,
    begin: () => {
      begun += 1;
      return async () => measured();
    },
  };
  const { simulatedCondition: _, ...runtime } = createSimulatedRuntime({ clock, timeScale: 0 });
  context = {
    db: fixture.db,
    clock,
    random: systemRandom,
    log: silentLog,
    timeScale: 0,
    openSecret: (sealed) => sealed,
    keyedDigest: (text) => text,
    runtimes: runtimesOf({ real: { ...runtime, meter } }),
  };
  leaderLocks = {
    take: async () => (isLeader ? { write: (operation) => fixture.db.write(operation) } : undefined),
    hasAny: async () => false,
  };
  const [work] = measuringOf(context, leaderLocks);
  measure = async () => {
    await work!.run(signal);
    clock.advance(interval);
  };
});
afterEach(() => fixture.close());

const rowsOf = async (table: 'service_measurement' | 'node_measurement' | 'alert_notification') =>
  fixture.db.selectFrom(table).selectAll().execute();

test('however long it is measured, there is one row for each service and node, and none once they are gone', async () => {
  for (let round = 0; round < 100; round += 1) await measure();
  const services = await rowsOf('service_measurement');
  expect(services).toHaveLength(2);
  expect(await rowsOf('node_measurement')).toHaveLength(1);
  expect(JSON.stringify(services[0]).length).toBeLessThan(500);
  await fixture.db.deleteFrom('service').where('id', '=', ids['other']!).execute();
  expect(await rowsOf('service_measurement')).toHaveLength(1);
  await measure();
  expect(await rowsOf('service_measurement')).toHaveLength(1);
  measured = () => ({ nodes: [], instances: [], unmeasured: [] });
  await measure();
  expect(await rowsOf('node_measurement')).toEqual([]);
});

test('who takes over begins again, so that nothing counts twice', async () => {
  await measure();
  await measure();
  expect(begun).toBe(1);
  isLeader = false;
  await measure();
  isLeader = true;
  await measure();
  expect(begun).toBe(2);
  expect(JSON.parse((await rowsOf('service_measurement'))[0]!.figures)).toMatchObject({ seconds: 0 });
});

const addRule = async (promql: string, condition: object = {}, receivers: readonly string[] = []) => {
  const id = await addAlertRule(fixture.db, clock.now(), { promql, condition, receivers, targetId: ids['web']! });
  await fixture.db.write((trx) => alertRuleChanged(context, trx, id));
  return id;
};
const ruleOf = (id: string) =>
  fixture.db.selectFrom('alert_rule').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const evaluate = () => evaluatingOf(context, leaderLocks, () => undefined).run(signal);
/** Lets a rule go on for as long as it has something to do at once. */
const advance = async (id: string): Promise<string> => {
  for (let step = 0; step < 10; step += 1) {
    const next = await fixture.db.write((trx) => advanceAlertRule(context)(trx, id, clock.now(), clock.now()));
    if (next === null || next > clock.now()) break;
  }
  return (await ruleOf(id)).state;
};
/** Lets a rule whose condition holds fire, and tells its receivers once. */
const fireOnce = async (id: string): Promise<void> => {
  const notifying = notifyingOf(context, leaderLocks);
  await measure();
  await advance(id);
  await evaluate();
  await advance(id);
  await notifying.run(signal);
  await notifying.close();
};
const problemsOf = async (id: string) => alertRuleProblems(context, fixture.db, await ruleOf(id));
/** The problem of a rule that sees a part of what it watches. */
const partly = (gap: object) => ({ reason: 'RULE_PARTLY_EVALUATED', details: { gaps: [gap], more: 0 } });
/** The problem of a receiver that could not be told. */
const notReached = (receiver: string, why: unknown) => ({ reason: 'RECEIVER_NOT_REACHED', details: { receiver, why } });
/** The reasons of a rule's problems. */
const reasonsOf = async (id: string): Promise<readonly Reason[]> => (await problemsOf(id)).map(({ reason }) => reason);

test.each<[string, object, boolean]>([
  ['infra_service_memory_limit_ratio', { operator: 'ABOVE', threshold: 0.8 }, true],
  ['infra_service_memory_limit_ratio', { operator: 'BELOW', threshold: 0.8 }, false],
  ['infra_service_cpu_cores{service="web"}', { operator: 'EQUAL', threshold: 0.5 }, true],
  // What it doesn't watch doesn't count.
  ['infra_service_cpu_cores', { operator: 'EQUAL', threshold: 1, function: 'COUNT' }, true],
  ['infra_service_cpu_cores{service="other"}', { operator: 'ABOVE' }, false],
  ['infra_service_restarts', { operator: 'BELOW', threshold: 9 }, false],
])('%s %j is evaluated by what is measured: %s', async (promql, condition, locks) => {
  const id = await addRule(promql, condition);
  expect(await reasonsOf(id)).toContain('RULE_NOT_EVALUATED');
  await measure();
  await measure();
  await advance(id);
  await evaluate();
  expect(await advance(id)).toBe(locks ? 'UNROUTED' : 'OK');
});

test('without a Prometheus, another expression says that it is not evaluated, and never holds', async () => {
  const id = await addRule('vector(1)');
  await evaluate();
  expect(await advance(id)).toBe('OK');
  expect((await problemsOf(id))[0]).toMatchObject({
    reason: 'PROMETHEUS_MISSING',
    details: { metrics: expect.arrayContaining(['infra_service_memory_limit_ratio']) as string[] },
  });
});

test('a Prometheus decides by what it gives, and where it can not be asked, what was found before goes on', async () => {
  const id = await addRule('up == 0');
  let answer: PrometheusValues | undefined = { kind: 'series', values: [] };
  context = {
    ...context,
    prometheus: {
      close: async () => undefined,
      query: async () => answer ?? Promise.reject(new Error('Nobody answers.')),
    },
  };
  await evaluate();
  expect(await advance(id)).toBe('OK');
  answer = { kind: 'series', values: [{ labels: { job: 'shop' }, value: 0 }] };
  await evaluate();
  expect(await advance(id)).toBe('UNROUTED');
  answer = undefined;
  await evaluate();
  expect(await advance(id)).toBe('UNROUTED');
  expect((await problemsOf(id))[0]).toMatchObject({
    reason: 'RULE_EVALUATION_FAILED',
    details: { said: 'Nobody answers.' },
  });
  answer = { kind: 'number', values: [{ labels: {}, value: 0 }] };
  await evaluate();
  expect(await advance(id)).toBe('OK');
});

test('what somebody called a rule is shown by Slack as it is', async () => {
  const receiver = await startReceiver();
  context = { ...context, alertReceivers: { slack: { kind: 'SLACK', url: receiver.url } } };
  const id = await addRule('infra_service_memory_limit_ratio', { operator: 'ABOVE', threshold: 0.8 }, ['slack']);
  await fixture.db
    .updateTable('alert_rule')
    .set({ name: 'A & B', presentation: JSON.stringify({ summary: '<!channel> <https://evil.example|approve>' }) })
    .where('id', '=', id)
    .execute();
  await fireOnce(id);
  expect((JSON.parse(receiver.received[0]!.body) as { text: string }).text).toMatch(
    /^Alert: A &amp; B \(LOW\): &lt;!channel&gt; &lt;https:\/\/evil\.example\|approve&gt;\nCluster [^.]+\. infra_service_memory_limit_ratio: \S+\/measured\/web: 0\.9$/,
  );
});

test('a rule that sees a part, or nothing, of what it watches says of what, and why', async () => {
  await fixture.db.updateTable('service').set({ deployed_state: 'DEPLOYED' }).execute();
  const id = await addRule('infra_service_memory_limit_ratio', { operator: 'ABOVE', threshold: 0.95 });
  const ofCluster = { target_type: 'CLUSTER', target_id: clusterId } as const;
  await fixture.db.updateTable('alert_rule').set(ofCluster).where('id', '=', id).execute();
  const node = await addRule('infra_node_memory_bytes', { operator: 'ABOVE', threshold: 1e9 });
  await fixture.db.updateTable('alert_rule').set(ofCluster).where('id', '=', node).execute();
  const of = async () => {
    await measure();
    await evaluate();
    return problemsOf(id);
  };
  const nobody = { reason: 'RECEIVERS_MISSING' };
  expect(await of()).toMatchObject([nobody]);
  const all = measured();
  const away = { node: 'two', reason: 'its engine can be asked by that node alone' };
  measured = () => ({
    nodes: [one],
    instances: all.instances.slice(0, 1),
    unmeasured: [{ ...away, serviceId: ids['other']! }],
  });
  const unmeasured = "An instance on the node two can't be measured: its engine can be asked by that node alone.";
  const gapOf = (service: string) => ({
    of: expect.stringMatching(new RegExp(String.raw`^\S+/measured/${service}$`)) as string,
    reasons: [unmeasured],
  });
  expect(await of()).toMatchObject([partly(gapOf('other')), nobody]);
  expect(await problemsOf(node)).toMatchObject([
    partly({ of: expect.stringMatching(/^the cluster /) as string, reasons: [`Of measured/other: ${unmeasured}`] }),
    nobody,
  ]);
  measured = () => ({
    nodes: [one],
    instances: [],
    unmeasured: Object.values(ids).map((serviceId) => ({ ...away, serviceId })),
  });
  const [without, ...others] = await of();
  expect(without).toMatchObject({
    reason: 'METRIC_WITHOUT_VALUE',
    details: { metric: 'infra_service_memory_limit_ratio', gaps: [gapOf('(?:web|other)'), gapOf('(?:web|other)')] },
  });
  expect(others).toMatchObject([nobody]);
  // What should not run lacks nothing.
  await fixture.db.updateTable('service').set({ deployed_state: 'STOPPED' }).execute();
  expect(await of()).toMatchObject([{ reason: 'METRIC_WITHOUT_VALUE', details: { gaps: [] } }, nobody]);
});

test('receivers are told which values meet the condition, of what, and on which cluster, also when it is over', async () => {
  const receiver = await startReceiver();
  context = { ...context, alertReceivers: { good: { kind: 'STANDARD', url: receiver.url } } };
  const id = await addRule('infra_service_memory_limit_ratio', { operator: 'ABOVE', threshold: 0.8 }, ['good']);
  await fixture.db
    .updateTable('alert_rule')
    .set({ target_type: 'CLUSTER', target_id: clusterId })
    .where('id', '=', id)
    .execute();
  const both = measured;
  measured = () => ({
    ...both(),
    instances: both().instances.map((use) => (use.serviceId === ids['web'] ? use : { ...use, memory: 100 })),
  });
  const notifying = notifyingOf(context, leaderLocks);
  const round = async (): Promise<void> => {
    await measure();
    await evaluate();
    await advance(id);
    await notifying.run(signal);
    await advance(id);
  };
  await advance(id);
  await round();
  measured = () => ({ ...both(), instances: both().instances.map((use) => ({ ...use, memory: 100 })) });
  await round();
  await notifying.close();
  const told = receiver.received.map(({ body }) => JSON.parse(body) as { event_type: string; payload: object });
  const { name: cluster } = await fixture.db
    .selectFrom('cluster')
    .select('name')
    .where('id', '=', clusterId)
    .executeTakeFirstOrThrow();
  const payload = {
    target_type: 'CLUSTER',
    cluster,
    condition: expect.objectContaining({
      promql: 'infra_service_memory_limit_ratio',
      operator: 'ABOVE',
      threshold: 0.8,
    }) as unknown,
    values: [
      {
        labels: expect.objectContaining({ service: 'web', environment: 'measured', service_id: ids['web'] }) as unknown,
        value: 0.9,
      },
    ],
    values_total: 1,
  };
  expect(told).toMatchObject([
    { event_type: 'ALERT_TRIGGERED', payload },
    { event_type: 'ALERT_RESOLVED', payload },
  ]);
});

test('a receiver that points elsewhere leads nowhere, and what is told of failures says nothing of an address', async () => {
  const inside = await startReceiver();
  const pointing = await startReceiver((response) => response.writeHead(307, { location: inside.url }).end());
  const silent = `http://${await refusingHost()}/hidden-path`;
  const unknown = 'http://receiver-of-secrets.invalid/hidden-path';
  const names = { pointing: pointing.url, silent, unknown };
  context = {
    ...context,
    alertReceivers: Object.fromEntries(Object.entries(names).map(([name, url]) => [name, { kind: 'STANDARD', url }])),
  };
  const id = await addRule(
    'infra_service_memory_limit_ratio',
    { operator: 'ABOVE', threshold: 0.8 },
    Object.keys(names),
  );
  await fireOnce(id);
  const problems = await problemsOf(id);
  expect(problems).toMatchObject([
    notReached('pointing', 'it answered with HTTP 307, and redirects are not followed'),
    notReached('silent', 'it did not respond (ECONNREFUSED)'),
    notReached('unknown', expect.stringMatching(/^it did not respond \((?:ENOTFOUND|EAI_AGAIN)\)$/)),
  ]);
  expect([pointing.received.length, inside.received]).toEqual([1, []]);
  expect(JSON.stringify([problems, await rowsOf('alert_notification')])).not.toMatch(
    /127\.0\.0\.1|receiver-of-secrets|hidden-path/,
  );
});

test('a receiver that is slow to answer delays no other', async () => {
  const both = Promise.withResolvers<void>();
  const quick = await startReceiver((response) => {
    both.resolve();
    response.writeHead(204).end();
  });
  // It answers once the other one is told.
  const slow = await startReceiver((response) => void both.promise.then(() => response.writeHead(204).end()));
  context = {
    ...context,
    alertReceivers: { slow: { kind: 'STANDARD', url: slow.url }, quick: { kind: 'STANDARD', url: quick.url } },
  };
  const id = await addRule('infra_service_memory_limit_ratio', { operator: 'ABOVE', threshold: 0.8 }, [
    'slow',
    'quick',
  ]);
  await fireOnce(id);
  expect([slow.received.length, quick.received.length]).toEqual([1, 1]);
  expect(await rowsOf('alert_notification')).toMatchObject([
    { failure: null, due_ms: null },
    { failure: null, due_ms: null },
  ]);
});

test('receivers are told again until they answer, once it fires and once it is resolved; those that can not be told are named', async () => {
  const receiver = await startReceiver((response, index) => response.writeHead(index === 0 ? 503 : 204).end());
  context = { ...context, alertReceivers: { good: { kind: 'STANDARD', url: receiver.url } } };
  const id = await addRule('infra_service_memory_limit_ratio', { operator: 'ABOVE', threshold: 0.8 }, [
    'good',
    'unknown',
  ]);
  const notifying = notifyingOf(context, leaderLocks);
  await measure();
  await advance(id);
  await evaluate();
  expect(await advance(id)).toBe('PENDING_NOTIFICATION');
  await notifying.run(signal);
  expect(await advance(id)).toBe('PENDING_NOTIFICATION');
  expect(await problemsOf(id)).toMatchObject([
    { reason: 'RECEIVER_WITHOUT_ADDRESS', details: { receiver: 'unknown' } },
    { reason: 'RECEIVER_NOT_REACHED', details: { receiver: 'good', why: 'it answered with HTTP 503' } },
  ]);
  await notifying.run(signal);
  expect(await advance(id)).toBe('NOTIFIED');
  clock.advance(3_600_000);
  await evaluate();
  // Nobody measured meanwhile: that resolves nothing.
  expect(await advance(id)).toBe('NOTIFIED');
  expect(await reasonsOf(id)).toContain('CLUSTER_NOT_MEASURED');
  measured = () => ({ nodes: [], instances: [], unmeasured: [] });
  await measure();
  await evaluate();
  expect(await advance(id)).toBe('OK');
  await notifying.run(signal);
  await notifying.run(signal);
  await notifying.close();
  expect(receiver.received.map(({ body }) => (JSON.parse(body) as { event_type: string }).event_type)).toEqual([
    'ALERT_TRIGGERED',
    'ALERT_TRIGGERED',
    'ALERT_RESOLVED',
  ]);
  expect((await rowsOf('alert_notification')).length).toBeLessThan(3);
});
