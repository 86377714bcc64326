import { onTestFinished } from 'vitest';
import type { Condition } from '../../../src/contract/index.ts';
import { silentLog, systemRandom } from '../../../src/platform/common/index.ts';
import { evaluateCondition, type PresentMeasurements } from '../../../src/platform/engine/alert-conditions.ts';
import { announceAlert, notifyingOf } from '../../../src/platform/engine/alert-notifications.ts';
import { alertRuleProblems } from '../../../src/platform/engine/alert-rules.ts';
import type { EngineContext } from '../../../src/platform/engine/index.ts';
import { runtimesOf } from '../../../src/platform/runtime/index.ts';
import { createSimulatedRuntime } from '../../../src/platform/runtime/simulated/index.ts';
import { refusingHost } from '../../support/webhook-receiver.ts';
import { addAlertRule } from '../engine/alert-rule-fixture.ts';
import { addEnvironment, clusterId, manualClock, openEngineFixture, organizationId } from '../engine/engine-fixture.ts';
import { signal } from './fake-swarm.ts';
import { type MadeCondition, shown } from './made-condition.ts';

const metric = 'infra_service_memory_limit_ratio';

/** An alert rule of a service on a real cluster. */
async function ruled(promql: string, receivers: readonly string[] = [], reached: EngineContext['alertReceivers'] = {}) {
  const clock = manualClock();
  const fixture = await openEngineFixture({ clock, started: false });
  onTestFinished(() => fixture.close());
  await fixture.db.updateTable('cluster').set({ runtime: 'real' }).execute();
  const { ids } = await addEnvironment(fixture.db, 'one', { web: { kind: 'container' } });
  const { simulatedCondition: _, ...runtime } = createSimulatedRuntime({ clock, timeScale: 0 });
  const context: EngineContext = {
    db: fixture.db,
    clock,
    random: systemRandom,
    log: silentLog,
    timeScale: 0,
    openSecret: (sealed) => sealed,
    keyedDigest: (text) => text,
    runtimes: runtimesOf({ real: runtime }),
    alertReceivers: reached,
  };
  const at = new Date(clock.now()).toISOString();
  const owned = { organization_id: organizationId, created_at: at, updated_at: at };
  const id = await addAlertRule(fixture.db, clock.now(), { promql, receivers, targetId: ids['web']! });
  await fixture.db
    .insertInto('alert_receiver')
    .values({ ...owned, id: 'mail', name: 'mail', description: null, type: 'EMAIL' })
    .execute();
  const rule = await fixture.db.selectFrom('alert_rule').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return { context, rule };
}

/** What the evaluation of a rule finds. @param prometheus what it answers */
async function evaluated(
  promql: string,
  present: Partial<PresentMeasurements> = {},
  prometheus?: EngineContext['prometheus'],
): Promise<Condition | undefined> {
  const { rule } = await ruled(promql);
  const all = { series: [], gaps: [], clusters: new Set<string>(), ...present };
  return (await evaluateCondition({ prometheus }, rule, all, signal)).problem;
}

const isMeasured = { clusters: new Set([clusterId]) };
const silent = { close: async () => undefined, query: () => Promise.reject(new Error('Nobody answers.')) };

/** What is said of a rule that was not evaluated. @param receivers their ids @param reached their addresses */
async function announced(
  receivers: readonly string[],
  reached?: EngineContext['alertReceivers'],
): Promise<readonly Condition[]> {
  const { context, rule } = await ruled(metric, receivers, reached);
  const { db, clock } = context;
  await db.write((trx) => announceAlert(context, trx, rule, 'ALERT_TRIGGERED', clock.now()));
  const notifying = notifyingOf(context, {
    take: async () => ({ write: (operation) => db.write(operation) }),
    hasAny: async () => false,
  });
  await notifying.run(signal);
  await notifying.close();
  return alertRuleProblems(context, db, rule);
}

/** What becomes of alert rules, and of those who are told. */
export const ofAlerts: readonly MadeCondition[] = [
  shown('RULE_NOT_EVALUATED', 'answer', async () => (await announced([]))[0]),
  shown('PROMETHEUS_MISSING', 'answer', () => evaluated('vector(1)')),
  shown('CLUSTER_NOT_MEASURED', 'answer', () => evaluated(metric)),
  shown('METRIC_WITHOUT_VALUE', 'answer', () => evaluated(metric, isMeasured)),
  shown('RULE_PARTLY_EVALUATED', 'answer', async () => {
    const { rule } = await ruled(metric);
    const labels = { service_id: rule.target_id };
    const present = { series: [{ metric, labels, value: 1 }], gaps: [{ metric, labels, reasons: ['It is away.'] }] };
    return (await evaluateCondition({}, rule, { ...present, ...isMeasured }, signal)).problem;
  }),
  shown('RULE_EVALUATION_FAILED', 'answer', () => evaluated('up == 0', {}, silent)),
  shown('RECEIVERS_MISSING', 'answer', async () => (await announced([])).at(-1)),
  shown('RECEIVER_WITHOUT_ADDRESS', 'answer', async () => (await announced(['unknown'])).at(-1)),
  shown('RECEIVER_BY_MAIL', 'answer', async () => (await announced(['mail'])).at(-1)),
  shown('RECEIVER_NOT_REACHED', 'answer', async () =>
    (await announced(['silent'], { silent: { kind: 'STANDARD', url: `http://${await refusingHost()}/` } })).at(-1),
  ),
];
