import { type Selectable, sql } from 'kysely';
import { condition, emailReceiver, type Condition } from '../../contract/index.ts';
import { refused } from '../common/index.ts';
import type { AlertReceiverTable, Db } from '../store/index.ts';
import { type AlertReceiverAddress, type EngineContext, iso } from './context.ts';
import {
  type AttemptResult,
  refusedAddress,
  sendDelivery,
  slackText,
  tooLate,
  unreachableProxy,
} from './webhooks/send.ts';
import { type AddressPolicy, anyAddress, connectionsWithin, splitTarget } from './webhooks/target.ts';

type ReceiverRow = Selectable<AlertReceiverTable>;

/** The address of a receiver that is a chat. */
interface ReceiverAddress extends AlertReceiverAddress {
  /** Whether the operator configures it, and so may mean a private one. */
  readonly isConfigured: boolean;
}

/** A receiver that a rule has. */
export interface FoundReceiver {
  readonly id: string;
  /** Its name; its id if it isn't in the records. */
  readonly name: string;
  readonly type?: string;
  /** Undefined if nothing can be posted to it. */
  readonly address?: ReceiverAddress;
  /** Whether it is also notified when an alert ends. */
  readonly sendsResolved: boolean;
}

type Addresses = Pick<EngineContext, 'alertReceivers' | 'openSecret'>;

/** The address of a receiver: the one that the operator configures or, if there is none, the stored one. */
function addressOf(
  { alertReceivers = {}, openSecret }: Addresses,
  id: string,
  row: Pick<ReceiverRow, 'type' | 'sealed_webhook_url'> | undefined,
): ReceiverAddress | undefined {
  const configured = alertReceivers[id];
  if (configured !== undefined) return { ...configured, isConfigured: true };
  if (row === undefined || row.sealed_webhook_url === null) return undefined;
  return {
    kind: row.type === 'STANDARD' ? 'STANDARD' : 'SLACK',
    url: openSecret(row.sealed_webhook_url),
    isConfigured: false,
  };
}

/** The receivers with these ids, in the same order, with the addresses to which something can be posted. */
export async function receiversWith(context: Addresses, db: Db, ids: readonly string[]): Promise<FoundReceiver[]> {
  const rows =
    ids.length === 0
      ? []
      : await db
          .selectFrom('alert_receiver')
          .select(['id', 'name', 'type', 'send_resolved', 'sealed_webhook_url'])
          .where('id', 'in', [...ids])
          .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    const address = addressOf(context, id, row);
    return {
      id,
      name: row?.name ?? id,
      ...(row && { type: row.type }),
      ...(address && { address }),
      sendsResolved: row?.send_resolved !== 0,
    };
  });
}

/** Why a receiver without an address isn't notified. */
export const unreachable = ({ name, type }: Pick<FoundReceiver, 'name' | 'type'>): Condition =>
  type === emailReceiver
    ? condition('RECEIVER_BY_MAIL', { receiver: name })
    : condition('RECEIVER_WITHOUT_ADDRESS', { receiver: name });

/** What responses say of a receiver's secrets, and why it is not notified. */
export function receiverState(
  context: Addresses,
  row: ReceiverRow,
): { readonly hasAddress: boolean; readonly problem?: string } {
  const hasAddress = row.type !== emailReceiver && addressOf(context, row.id, row) !== undefined;
  return { hasAddress, ...(!hasAddress && { problem: unreachable(row).message }) };
}

/** Refuses to change what the operator configures: the clusters file adds it again at every start. */
export function requireOwnReceiver(
  { alertReceivers = {} }: Pick<EngineContext, 'alertReceivers'>,
  { id, name }: Pick<ReceiverRow, 'id' | 'name'>,
): void {
  if (alertReceivers[id] !== undefined)
    throw refused(
      `The receiver ${name} (${id}) is one of the clusters file of the platform, and is changed there by its operator.`,
    );
}

const timeoutMilliseconds = 10_000;

/** The reason of a failed attempt, without the receiver's response and without its address, which is a secret. */
export const failureOf = ({ status, code }: AttemptResult): string => {
  if (status >= 300 && status < 400) return `it answered with HTTP ${status}, and redirects are not followed`;
  if (status !== 0) return `it answered with HTTP ${status}`;
  if (code === unreachableProxy) return "the platform's proxy did not connect to it";
  if (code === refusedAddress)
    return 'its address is private or reserved, and the operator of the platform allows no such addresses';
  return code === tooLate
    ? `it did not answer within ${timeoutMilliseconds / 1000} seconds`
    : `it did not respond (${code ?? 'no reason is known'})`;
};

/** Posts to receivers. */
export interface ReceiverSender {
  readonly send: (
    address: ReceiverAddress,
    message: { readonly deliveryId: string; readonly body: string },
    signal: AbortSignal,
  ) => Promise<AttemptResult>;
  readonly close: () => Promise<void>;
}

/** Creates a sender. @param policy decides to which addresses that the operator doesn't configure it may connect */
export function createReceiverSender(policy: AddressPolicy): ReceiverSender {
  const [configured, others] = [connectionsWithin(anyAddress), connectionsWithin(policy)];
  return {
    send: ({ url, isConfigured }, message, signal) => {
      const { address, userinfo } = splitTarget(url);
      // A redirect target is not the configured receiver, and may not belong to the operator.
      const sender = { connections: isConfigured ? configured : others, timeoutMilliseconds, redirects: 0 };
      return sendDelivery(sender, { url: address, ...(userinfo !== undefined && { userinfo }), ...message }, signal);
    },
    close: async () => {
      await Promise.all([configured.close(), others.close()]);
    },
  };
}

/** The outcome of a test message. */
export interface ReceiverTestResult {
  readonly delivered: boolean;
  /** Why it was not delivered, as a sentence without the address. */
  readonly reason?: string;
}

/**
 * Posts a test message to a receiver once. Runs outside any transaction.
 * @throws the reason of `stopping` if it was aborted
 */
export async function sendReceiverTest(
  context: Addresses & Pick<EngineContext, 'clock' | 'random'>,
  sender: ReceiverSender,
  row: ReceiverRow,
  message: string | undefined,
  stopping: AbortSignal,
): Promise<ReceiverTestResult> {
  const address = addressOf(context, row.id, row);
  if (address === undefined)
    return { delivered: false, reason: `Nothing was sent. ${receiverState(context, row).problem}` };
  const text = message ?? `This is a test of the alert receiver ${row.name}. Nothing is wrong.`;
  const body = JSON.stringify({
    event_type: 'TEST',
    created_at: iso(context.clock.now()),
    payload: { organization_id: row.organization_id, receiver: row.name, message: text },
    ...(address.kind === 'SLACK' && { text: slackText(text) }),
  });
  const result = await sender.send(address, { deliveryId: `alert-test-${context.random.uuid()}`, body }, stopping);
  return result.outcome === 'delivered'
    ? { delivered: true }
    : { delivered: false, reason: `The receiver was not reached: ${failureOf(result)}.` };
}

const rulesWith = async (trx: Db, { id, organization_id }: Pick<ReceiverRow, 'id' | 'organization_id'>) =>
  (
    await trx
      .selectFrom('alert_rule')
      .select(['id', 'alert_receiver_ids', 'state'])
      .where('organization_id', '=', organization_id)
      // Its id is in few rules, so few are parsed.
      .where(sql<boolean>`cast(${sql.ref('alert_receiver_ids')} as text) like ${`%${id}%`}`)
      .orderBy('id')
      .execute()
  ).flatMap(({ alert_receiver_ids: ids, ...rule }) => {
    const receivers = JSON.parse(ids) as string[];
    return receivers.includes(id) ? [{ ...rule, left: receivers.filter((other) => other !== id) }] : [];
  });

/**
 * Deletes a receiver. Rules that have it lose it; of a rule that fires and has no other, nobody is notified from then
 * on.
 * @param at the time, ISO 8601
 */
export async function deleteAlertReceiver(
  trx: Db,
  receiver: Pick<ReceiverRow, 'id' | 'organization_id'>,
  at: string,
): Promise<void> {
  await trx.lockInOrder((await rulesWith(trx, receiver)).map(({ id }) => ({ name: id, isShared: false })));
  // A request that gives it to a rule keeps it until its transaction ends.
  await trx.selectFrom('alert_receiver').select('id').where('id', '=', receiver.id).$call(trx.sql.held).execute();
  for (const { id, left, state } of await rulesWith(trx, receiver)) {
    const isUnrouted = left.length === 0 && state === 'NOTIFIED';
    await trx
      .updateTable('alert_rule')
      .set({ alert_receiver_ids: JSON.stringify(left), updated_at: at, ...(isUnrouted && { state: 'UNROUTED' }) })
      .where('id', '=', id)
      .execute();
    // A rule has few notifications, and they are found by it.
    await trx
      .deleteFrom('alert_notification')
      .where('rule_id', '=', id)
      .where('receiver_id', '=', receiver.id)
      .execute();
  }
  await trx.deleteFrom('alert_receiver').where('id', '=', receiver.id).execute();
}
