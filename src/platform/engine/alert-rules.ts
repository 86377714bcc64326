import { isoDurationMilliseconds, notFound, type SecondsRange } from '../common/index.ts';
import type { Db } from '../store/index.ts';
import {
  type AlertRuleRow,
  conditionHolds,
  runtimeOfTarget,
  lastFinding,
  refusalOfCondition,
} from './alert-conditions.ts';
import { allHaveAddresses, announceAlert, receiversReached, notificationProblems } from './alert-notifications.ts';
import { duration, type EngineContext, iso } from './context.ts';
import { alertRuleTransitions, firingStates } from './lifecycle.ts';
import { type TimerHandler, setTimer } from './timer-queue.ts';
import { condition, type Condition } from '../../contract/index.ts';

const transitionSeconds = (rule: AlertRuleRow, seconds: SecondsRange | 'for'): SecondsRange => {
  const forSeconds = isoDurationMilliseconds(rule.for_duration) / 1000;
  return seconds === 'for' ? [forSeconds, forSeconds] : seconds;
};

/**
 * The time until which a rule is silenced, in milliseconds since the epoch: infinite if its end is unknown; undefined
 * if the rule isn't silenced.
 */
function silencedUntil({ silenced_until: until, state }: AlertRuleRow, now: number): number | undefined {
  if (until === null) return state === 'SUPPRESSED' ? Infinity : undefined;
  return Date.parse(until) > now ? Date.parse(until) : undefined;
}

/** How long to wait before checking again whether receivers were notified, in milliseconds. */
const notificationPollMilliseconds = 1000;

const transitionFrom = (state: AlertRuleRow['state']) =>
  alertRuleTransitions.find((transition) => transition.from === state);

/** When a rule leaves its state by itself, in milliseconds since the epoch; null if it stays until an event. */
const nextTransitionAt = async (
  context: EngineContext,
  trx: Db,
  rule: AlertRuleRow,
  now: number,
): Promise<number | null> => {
  const transition = transitionFrom(rule.state);
  if (transition === undefined || rule.enabled === 0) return null;
  if (rule.state === 'SUPPRESSED') return rule.silenced_until === null ? null : Date.parse(rule.silenced_until);
  if (rule.state === 'OK' && !(await conditionHolds(context, trx, rule))) return null;
  return now + duration(context, transitionSeconds(rule, transition.takes), `${rule.id}/${rule.state}/${now}`);
};

const saveRule = async (
  context: EngineContext,
  trx: Db,
  rule: AlertRuleRow,
  change: Partial<AlertRuleRow>,
  now: number,
): Promise<number | null> => {
  await trx.updateTable('alert_rule').set(change).where('id', '=', rule.id).execute();
  return nextTransitionAt(context, trx, { ...rule, ...change }, now);
};

/** Advances one rule. A rule whose condition no longer holds becomes OK. */
export const advanceAlertRule =
  (context: EngineContext): TimerHandler =>
  async (trx, ruleId, now) => {
    const rule = await trx.selectFrom('alert_rule').selectAll().where('id', '=', ruleId).executeTakeFirst();
    if (rule === undefined) return null;
    if (rule.state === 'UNDEPLOYED') {
      return saveRule(context, trx, rule, { is_up_to_date: 1, ...(rule.enabled === 1 && { state: 'OK' }) }, now);
    }
    const isReal = (await runtimeOfTarget(context, trx, rule)).simulatedCondition === undefined;
    if (!(await conditionHolds(context, trx, rule))) {
      if (rule.state === 'NOTIFIED') await announceAlert(context, trx, rule, 'ALERT_RESOLVED', now);
      return firingStates.includes(rule.state)
        ? saveRule(context, trx, rule, { state: 'OK', starts_at: null }, now)
        : null;
    }
    const transition = transitionFrom(rule.state);
    if (transition === undefined) return null;
    if (transition.to === 'TRIGGERED')
      return saveRule(context, trx, rule, { state: 'TRIGGERED', starts_at: iso(now) }, now);
    const silence = silencedUntil(rule, now);
    if (silence !== undefined && transition.to === 'PENDING_NOTIFICATION')
      return rule.state === 'SUPPRESSED'
        ? nextTransitionAt(context, trx, rule, now)
        : saveRule(context, trx, rule, { state: 'SUPPRESSED' }, now);
    if (transition.to === 'PENDING_NOTIFICATION') await announceAlert(context, trx, rule, 'ALERT_TRIGGERED', now);
    // Receivers without an address count as notified where the cluster is simulated.
    if (transition.to === 'NOTIFIED' && (isReal || (await allHaveAddresses(context, trx, rule)))) {
      const told = await receiversReached(trx, rule.id);
      return told === 'going on'
        ? now + notificationPollMilliseconds
        : saveRule(context, trx, rule, { state: told === 'some' ? 'NOTIFIED' : 'UNROUTED' }, now);
    }
    const hasNoReceivers =
      transition.to === 'NOTIFIED' && (JSON.parse(rule.alert_receiver_ids) as string[]).length === 0;
    return saveRule(context, trx, rule, { state: hasNoReceivers ? 'UNROUTED' : transition.to }, now);
  };

/** See Engine.alertRuleChanged. */
export async function alertRuleChanged(context: EngineContext, trx: Db, ruleId: string): Promise<void> {
  await trx.lock(ruleId);
  const rule = await trx.selectFrom('alert_rule').selectAll().where('id', '=', ruleId).executeTakeFirst();
  if (rule === undefined) throw notFound('alert rule', ruleId);
  const now = context.clock.now();
  await trx
    .updateTable('alert_rule')
    .set({ state: 'UNDEPLOYED', is_up_to_date: 0, starts_at: null })
    .where('id', '=', ruleId)
    .execute();
  await setTimer(trx, 'ALERT_RULE', ruleId, now + duration(context, alertRuleTransitions[0].takes, `${ruleId}/${now}`));
}

const suppressed = (state: AlertRuleRow['state']): AlertRuleRow['state'] =>
  firingStates.includes(state) ? 'SUPPRESSED' : state;

/** See Engine.silenceAlertRule. */
export async function silenceAlertRule(
  trx: Db,
  rule: AlertRuleRow,
  silence: { readonly until: string; readonly reason: string | null } | null,
): Promise<void> {
  await trx.lock(rule.id);
  const current = await trx.selectFrom('alert_rule').selectAll().where('id', '=', rule.id).executeTakeFirst();
  if (current === undefined) throw notFound('alert rule', rule.id);
  const change = { silenced_until: silence?.until ?? null, silence_reason: silence?.reason ?? null };
  const isSuppressed = current.state === 'SUPPRESSED';
  const state = silence === null ? (isSuppressed ? 'TRIGGERED' : current.state) : suppressed(current.state);
  await trx
    .updateTable('alert_rule')
    .set({ ...change, state })
    .where('id', '=', rule.id)
    .execute();
  if (silence === null) {
    // Continues as if it had just fired: its receivers are notified.
    if (isSuppressed) await setTimer(trx, 'ALERT_RULE', rule.id, 0);
    return;
  }
  if (state !== 'SUPPRESSED') return;
  await setTimer(trx, 'ALERT_RULE', rule.id, Date.parse(silence.until));
  await trx.deleteFrom('alert_notification').where('rule_id', '=', rule.id).where('due_ms', 'is not', null).execute();
}

/** See Engine.deleteAlertRule. */
export async function deleteAlertRule(trx: Db, ruleId: string): Promise<void> {
  await trx.lock(ruleId);
  await trx.deleteFrom('alert_rule').where('id', '=', ruleId).execute();
  await trx.deleteFrom('timer').where('kind', '=', 'ALERT_RULE').where('subject_id', '=', ruleId).execute();
}

/**
 * The rules that watch a service, its environment or its cluster and whose state a change of the service may affect.
 */
const rulesWatching = (trx: Db, serviceId: string, environmentId: string) =>
  trx
    .selectFrom('alert_rule')
    .where('source', '=', 'MANAGED')
    .where('enabled', '=', 1)
    .where('state', 'in', ['OK', ...firingStates])
    // A rule that is silenced without an end keeps its state: why it is silenced is unknown.
    .where((eb) => eb.or([eb('state', '<>', 'SUPPRESSED'), eb('silenced_until', 'is not', null)]))
    .where((eb) =>
      eb.or([
        eb('target_id', 'in', [serviceId, environmentId]),
        eb(
          'target_id',
          '=',
          eb.selectFrom('environment').select('cluster_id').where('environment.id', '=', environmentId),
        ),
      ]),
    )
    .orderBy('id');

/**
 * Advances a rule now. Writes nothing if it is due already, so that services that finish concurrently don't wait for
 * each other.
 */
async function evaluateNow(trx: Db, ruleId: string, now: number): Promise<void> {
  const due = await trx
    .selectFrom('timer')
    .select('due_ms')
    .where('kind', '=', 'ALERT_RULE')
    .where('subject_id', '=', ruleId)
    .where('due_ms', '<=', now)
    .executeTakeFirst();
  if (due === undefined) await setTimer(trx, 'ALERT_RULE', ruleId, now);
}

/**
 * Lets a rule continue from its state: a firing rule immediately, another one when its condition has held for its
 * duration.
 */
export async function conditionMayHaveChanged(context: EngineContext, trx: Db, rule: AlertRuleRow): Promise<void> {
  const now = context.clock.now();
  if (rule.state !== 'OK') return evaluateNow(trx, rule.id, now);
  const at = await nextTransitionAt(context, trx, rule, now);
  if (at !== null) await setTimer(trx, 'ALERT_RULE', rule.id, at);
}

/** Evaluates the rules that watch a service again, after a deployment of it has finished. */
export async function serviceSettled(
  context: EngineContext,
  trx: Db,
  serviceId: string,
  environmentId: string,
): Promise<void> {
  const watching = await rulesWatching(trx, serviceId, environmentId).select('id').execute();
  if (watching.length === 0) return;
  // A worker that evaluates a rule locks it, and so sees the changes of this transaction.
  await trx.lockInOrder(watching.map(({ id }) => ({ name: id, isShared: true })));
  for (const rule of await rulesWatching(trx, serviceId, environmentId).selectAll().execute())
    await conditionMayHaveChanged(context, trx, rule);
}

/**
 * Why a rule isn't evaluated at present, or its receivers aren't notified; empty if there is no problem, or the rule is
 * disabled.
 */
export async function alertRuleProblems(
  context: EngineContext,
  db: Db,
  rule: AlertRuleRow,
): Promise<readonly Condition[]> {
  if (rule.enabled === 0 || rule.source === 'GHOST') return [];
  // Simulated conditions are evaluated at once, and receivers without an address count as notified.
  if ((await runtimeOfTarget(context, db, rule)).simulatedCondition)
    return notificationProblems(context, db, rule, true);
  const refusal = refusalOfCondition(context, rule);
  const found = refusal === undefined ? await lastFinding(db, rule) : undefined;
  const evaluation = refusal ?? (found === undefined ? condition('RULE_NOT_EVALUATED', {}) : found.problem);
  return [...(evaluation === undefined ? [] : [evaluation]), ...(await notificationProblems(context, db, rule))];
}
