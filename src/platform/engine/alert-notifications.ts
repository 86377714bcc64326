import { condition, type Condition } from '../../contract/index.ts';
import type { Db } from '../store/index.ts';
import { type AlertRuleRow, conditionOfRule, lastFinding } from './alert-conditions.ts';
import { type Matches, matchesText } from './alert-matches.ts';
import type { RepeatedWork } from './background-loop.ts';
import { type AlertReceiverAddress, type EngineContext, iso } from './context.ts';
import { LeaderLockLost, type LeaderLocks, type LeaderLock } from './leader-locks.ts';
import { firstRetrySeconds, maximumDeliveryAttempts } from './webhooks/deliveries.ts';
import { type AttemptResult, sendDelivery, tooLate, slackText, unreachableProxy } from './webhooks/send.ts';
import { anyAddress, connectionsWithin } from './webhooks/target.ts';

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
  { alertReceivers = {} }: EngineContext,
  trx: Db,
  rule: AlertRuleRow,
  event: AlertEvent,
  at: number,
): Promise<void> {
  await trx.deleteFrom('alert_notification').where('rule_id', '=', rule.id).where('due_ms', 'is', null).execute();
  const subject = await subjectOfAlert(trx, rule);
  const rows = receiversOf(rule).flatMap((id) => {
    const address = alertReceivers[id];
    return address === undefined
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
        ];
  });
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

/** Why receivers of a rule aren't notified. */
export async function notificationProblems(
  { alertReceivers = {} }: Pick<EngineContext, 'alertReceivers'>,
  db: Db,
  rule: AlertRuleRow,
): Promise<Condition[]> {
  const ids = receiversOf(rule);
  const names = new Map(
    ids.length === 0
      ? []
      : (
          await db
            .selectFrom('alert_receiver')
            .select(['id', 'name'])
            .where('id', 'in', [...ids])
            .execute()
        ).map(({ id, name }) => [id, name]),
  );
  const failed = await db
    .selectFrom('alert_notification')
    .select(['receiver_id', 'failure'])
    .where('rule_id', '=', rule.id)
    .where('failure', 'is not', null)
    .execute();
  const nameOf = (id: string): string => names.get(id) ?? id;
  return [
    ...(ids.length === 0 ? [condition('RECEIVERS_MISSING', {})] : []),
    ...ids
      .filter((id) => alertReceivers[id] === undefined)
      .map((id) => condition('RECEIVER_WITHOUT_ADDRESS', { receiver: nameOf(id) })),
    ...failed.map(({ receiver_id: id, failure }) =>
      condition('RECEIVER_NOT_REACHED', { receiver: nameOf(id), why: failure ?? '' }),
    ),
  ];
}

/**
 * How many notifications are sent per batch; the pause between two checks and the timeout of a request, in
 * milliseconds.
 */
const most = 20;
/** How many receivers are notified concurrently. */
const concurrentReceivers = 4;
const intervalMilliseconds = 1000;
const timeoutMilliseconds = 10_000;

/** The reason of a failed attempt, without the receiver's response and without its address, which is a secret. */
const failureOf = ({ status, code }: AttemptResult): string => {
  if (status >= 300 && status < 400) return `it answered with HTTP ${status}, and redirects are not followed`;
  if (status !== 0) return `it answered with HTTP ${status}`;
  if (code === unreachableProxy) return "the platform's proxy did not connect to it";
  return code === tooLate
    ? `it did not answer within ${timeoutMilliseconds / 1000} seconds`
    : `it did not respond (${code ?? 'no reason is known'})`;
};

const withoutAddress = 'the clusters file no longer has an address for it';

const says = { failure: 'alert receivers could not be notified', recovery: 'alert receivers are notified again' };

/**
 * Notifies receivers of alerts, in one worker at a time. A worker that dies after an attempt and before it is recorded
 * causes a second notification.
 */
export function notifyingOf(
  context: EngineContext,
  leaderLocks: LeaderLocks,
): RepeatedWork & { readonly close: () => Promise<void> } {
  const { db, clock, alertReceivers = {} } = context;
  // The operator configures the addresses, and may mean private ones.
  const connections = connectionsWithin(anyAddress);

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
    const address = alertReceivers[receiver];
    // A redirect target is not the configured receiver, and may not belong to the operator.
    const result =
      address &&
      (await sendDelivery(
        { connections, timeoutMilliseconds, redirects: 0 },
        { url: address.url, deliveryId: `alert-${seq}`, body },
        signal,
      ));
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
      if (Object.keys(alertReceivers).length === 0 || (await due()).length === 0) return;
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
    close: () => connections.close(),
  };
}
