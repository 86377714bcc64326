import { condition, type Condition } from '../../contract/index.ts';
import type { Db } from '../store/index.ts';
import { type AlertRuleRow, conditionOfRule, lastFinding } from './alert-conditions.ts';
import { type Matches, matchesText } from './alert-matches.ts';
import type { RepeatedWork } from './background-loop.ts';
import {
  createReceiverSender,
  failureOf,
  type FoundReceiver,
  type ReceiverSender,
  receiversWith,
  unreachable,
} from './alert-receivers.ts';
import { type AlertReceiverAddress, type EngineContext, iso } from './context.ts';
import { LeaderLockLost, type LeaderLocks, type LeaderLock } from './leader-locks.ts';
import { firstRetrySeconds, maximumDeliveryAttempts } from './webhooks/deliveries.ts';
import { slackText } from './webhooks/send.ts';
import { publicOnly } from './webhooks/target.ts';

type AlertEvent = 'ALERT_TRIGGERED' | 'ALERT_RESOLVED';

const receiversOf = (rule: AlertRuleRow): readonly string[] => JSON.parse(rule.alert_receiver_ids) as string[];

/** Details about an alert in addition to its rule. */
interface Subject {
  /** The name of the cluster. */
  readonly cluster: string | undefined;
  /** The values for which the condition holds, or held until now; undefined if they are unknown. */
  readonly matches: Matches | undefined;
}

async function subjectOfAlert(trx: Db, rule: AlertRuleRow): Promise<Subject> {
  const cluster = await trx.selectFrom('cluster').select('name').where('id', '=', rule.cluster_id).executeTakeFirst();
  return { cluster: cluster?.name, matches: (await lastFinding(trx, rule))?.matches };
}

/** The body of a notification. Slack displays `text`; the rest is the same for every kind. */
function bodyOf(
  { kind }: AlertReceiverAddress,
  rule: AlertRuleRow,
  event: AlertEvent,
  { cluster, matches }: Subject,
  at: number,
): string {
  const { summary, runbook_url: runbook } = JSON.parse(rule.presentation) as {
    summary?: string;
    runbook_url?: string | null;
  };
  const payload = {
    alert_rule_id: rule.id,
    name: rule.name,
    severity: rule.severity,
    description: rule.description,
    summary,
    runbook_url: runbook ?? undefined,
    target_type: rule.target_type,
    target_id: rule.target_id,
    cluster_id: rule.cluster_id,
    organization_id: rule.organization_id,
    starts_at: rule.starts_at ?? undefined,
    cluster,
    condition: conditionOfRule(rule),
    values: matches?.first,
    values_total: matches?.count,
  };
  const about = [
    ...(cluster === undefined ? [] : [`Cluster ${cluster}.`]),
    `${conditionOfRule(rule).promql}${matches === undefined ? '' : `: ${matchesText(matches)}`}`,
  ].join(' ');
  const text = `${event === 'ALERT_TRIGGERED' ? 'Alert' : 'Resolved'}: ${rule.name} (${rule.severity})${summary === undefined ? '' : `: ${summary}`}\n${about}`;
  return JSON.stringify({
    event_type: event,
    created_at: iso(at),
    payload,
    ...(kind === 'SLACK' && { text: slackText(text) }),
  });
}

/**
 * Queues notifications for the receivers of a rule; they are sent after the transaction is committed. Discards the
 * results of earlier ones.
 * @param at milliseconds since the epoch
 */
export async function announceAlert(
  context: EngineContext,
  trx: Db,
  rule: AlertRuleRow,
  event: AlertEvent,
  at: number,
): Promise<void> {
  await trx.deleteFrom('alert_notification').where('rule_id', '=', rule.id).where('due_ms', 'is', null).execute();
  const subject = await subjectOfAlert(trx, rule);
  const receivers = await receiversWith(context, trx, receiversOf(rule));
  const rows = receivers.flatMap(({ id, address, sendsResolved }) =>
    address === undefined || (event === 'ALERT_RESOLVED' && !sendsResolved)
      ? []
      : [
          {
            rule_id: rule.id,
            receiver_id: id,
            event,
            body: bodyOf(address, rule, event, subject, at),
            due_ms: at,
            failure: null,
          },
        ],
  );
  if (rows.length > 0) await trx.insertInto('alert_notification').values(rows).execute();
}

/**
 * Whether receivers were notified that a rule is triggered: some of them, none, or whether that is still in progress.
 */
export async function receiversReached(trx: Db, ruleId: string): Promise<'some' | 'none' | 'going on'> {
  const rows = await trx
    .selectFrom('alert_notification')
    .select(['due_ms', 'failure'])
    .where('rule_id', '=', ruleId)
    .where('event', '=', 'ALERT_TRIGGERED')
    .execute();
  if (rows.some(({ due_ms: due }) => due !== null)) return 'going on';
  return rows.some(({ failure }) => failure === null) ? 'some' : 'none';
}

/** Whether a rule has receivers, and something can be posted to each of them. */
export async function allHaveAddresses(context: EngineContext, trx: Db, rule: AlertRuleRow): Promise<boolean> {
  const receivers = await receiversWith(context, trx, receiversOf(rule));
  return receivers.length > 0 && receivers.every(({ address }) => address !== undefined);
}

/** Which receivers of a rule could not be notified, and why. */
async function failuresOf(db: Db, rule: AlertRuleRow, receivers: readonly FoundReceiver[]): Promise<Condition[]> {
  const failed = await db
    .selectFrom('alert_notification')
    .select(['receiver_id', 'failure'])
    .where('rule_id', '=', rule.id)
    .where('failure', 'is not', null)
    .execute();
  const nameOf = (id: string): string => receivers.find((one) => one.id === id)?.name ?? id;
  return failed.map(({ receiver_id: id, failure }) =>
    condition('RECEIVER_NOT_REACHED', { receiver: nameOf(id), why: failure ?? '' }),
  );
}

/** Why receivers of a rule aren't notified. @param isSimulated whether receivers without an address count as notified */
export async function notificationProblems(
  context: Pick<EngineContext, 'alertReceivers' | 'openSecret'>,
  db: Db,
  rule: AlertRuleRow,
  isSimulated = false,
): Promise<Condition[]> {
  const receivers = await receiversWith(context, db, receiversOf(rule));
  const failures = await failuresOf(db, rule, receivers);
  if (isSimulated) return failures;
  return [
    ...(receivers.length === 0 ? [condition('RECEIVERS_MISSING', {})] : []),
    ...receivers.filter(({ address }) => address === undefined).map(unreachable),
    ...failures,
  ];
}

/** How many notifications are sent per batch. */
const most = 20;
/** How many receivers are notified concurrently. */
const concurrentReceivers = 4;
/** The pause between two checks. */
const intervalMilliseconds = 1000;

const withoutAddress = 'the platform has no address for it any more';

const says = { failure: 'alert receivers could not be notified', recovery: 'alert receivers are notified again' };

/**
 * Notifies receivers of alerts, in one worker at a time. A worker that dies after an attempt and before it is recorded
 * causes a second notification.
 */
export function notifyingOf(
  context: EngineContext,
  leaderLocks: LeaderLocks,
  sender: ReceiverSender = createReceiverSender(publicOnly),
): RepeatedWork & { readonly close: () => Promise<void> } {
  const { db, clock } = context;

  const due = () =>
    db
      .selectFrom('alert_notification')
      .selectAll()
      .where('due_ms', '<=', clock.now())
      .orderBy('seq')
      .limit(most)
      .execute();
  type Notification = Awaited<ReturnType<typeof due>>[number];

  const tell = async (
    leaderLock: LeaderLock,
    { seq, receiver_id: receiver, body, attempts: before }: Notification,
    signal: AbortSignal,
  ): Promise<void> => {
    const [{ address } = {}] = await receiversWith(context, db, [receiver]);
    const result = address && (await sender.send(address, { deliveryId: `alert-${seq}`, body }, signal));
    const attempts = before + 1;
    const isOver = result?.outcome !== 'try again' || attempts >= maximumDeliveryAttempts;
    const failure = result === undefined ? withoutAddress : result.outcome === 'delivered' ? null : failureOf(result);
    const dueAt = isOver ? null : Math.round(clock.now() + firstRetrySeconds * 1000 * 2 ** before * context.timeScale);
    await leaderLock.write(async (trx) => {
      await trx
        .updateTable('alert_notification')
        .set({ attempts, failure, due_ms: dueAt })
        .where('seq', '=', seq)
        .execute();
    });
  };

  return {
    interval: intervalMilliseconds,
    says,
    run: async (signal) => {
      if ((await due()).length === 0) return;
      const leaderLock = await leaderLocks.take('telling receivers of alerts');
      if (leaderLock === undefined) return;
      try {
        // The previous leader may have sent what was due. All tasks take from one iterator: the next free one notifies
        // the next receiver.
        const ofReceivers = Map.groupBy(await due(), ({ receiver_id: id }) => id).values();
        const tellNext = async (): Promise<void> => {
          // In order: a resolved alert is reported after its trigger.
          for (const own of ofReceivers) for (const each of own) await tell(leaderLock, each, signal);
        };
        const ends = await Promise.allSettled(Array.from({ length: concurrentReceivers }, tellNext));
        const failed = ends.find((end) => end.status === 'rejected');
        if (failed !== undefined) throw failed.reason;
      } catch (error) {
        if (!(error instanceof LeaderLockLost) && !signal.aborted) throw error;
      }
    },
    close: () => sender.close(),
  };
}
