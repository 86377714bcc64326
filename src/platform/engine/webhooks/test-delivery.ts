import type { Selectable } from 'kysely';
import { testEvent } from '../../../contract/index.ts';
import type { Db, WebhookTable } from '../../store/index.ts';
import { type EngineContext, iso } from '../context.ts';
import type { Page, WebhookRecord, WebhookTest } from '../engine.ts';
import { deliveryRequestFor, deploymentAttempts, type DeliveryOptions } from './deliveries.ts';
import type { DeliveryBody } from './outbox.ts';
import { sendDelivery } from './send.ts';
import { shownAddress } from './target.ts';

type Webhook = Selectable<WebhookTable>;

/** How many test deliveries each webhook keeps. */
const mostTests = 100;

const recordOf = (webhook: Pick<Webhook, 'kind'>, test: Omit<WebhookTest, 'webhook_id'>): WebhookRecord => ({
  id: test.id,
  created_at: test.created_at,
  kind: webhook.kind,
  matched_event: testEvent,
  target_url_used: shownAddress({ kind: webhook.kind, target_url: test.target_url }),
  request: JSON.parse(test.body) as DeliveryBody,
  target_response_status_code: test.status_code,
  target_response_body: test.response_body,
});

/**
 * Posts a test event to a webhook, also to one that is off, once. Runs outside any transaction.
 * @throws the reason of `stopping` if it was aborted
 */
export async function sendTest(
  { clock, random }: Pick<EngineContext, 'clock' | 'random'>,
  options: DeliveryOptions,
  webhook: Webhook,
  stopping: AbortSignal,
): Promise<WebhookTest> {
  const id = random.uuid();
  const created_at = iso(clock.now());
  const body = JSON.stringify({
    event_type: testEvent,
    created_at,
    payload: { organization_id: webhook.organization_id, status: testEvent },
  } satisfies DeliveryBody);
  const { status, body: answer } = await sendDelivery(
    options,
    deliveryRequestFor({ id, body }, webhook, options.openSecret),
    stopping,
  );
  return {
    id,
    webhook_id: webhook.id,
    created_at,
    target_url: shownAddress(webhook),
    status_code: status,
    response_body: answer,
    body,
  };
}

/** Records a test delivery, and deletes the oldest records. */
export async function recordTest(trx: Db, webhook: Pick<Webhook, 'kind'>, test: WebhookTest): Promise<WebhookRecord> {
  await trx.insertInto('webhook_test').values(test).execute();
  const newestDropped = trx
    .selectFrom('webhook_test')
    .select('seq')
    .where('webhook_id', '=', test.webhook_id)
    .orderBy('seq', 'desc')
    .limit(1)
    .offset(mostTests);
  await trx
    .deleteFrom('webhook_test')
    .where('webhook_id', '=', test.webhook_id)
    .where('seq', '<=', newestDropped)
    .execute();
  return recordOf(webhook, test);
}

/** The recorded delivery attempts of a webhook, tests among them, newest first, and their total number. */
export async function webhookAttempts(
  db: Db,
  webhookId: string,
  page?: Page,
): Promise<{ rows: WebhookRecord[]; total: number }> {
  // The newest of either kind, as many as the page can contain.
  const newest = page && { limit: page.offset + page.limit, offset: 0 };
  const deployments = await deploymentAttempts(db, webhookId, newest);
  const tests = await db
    .selectFrom('webhook_test')
    .innerJoin('webhook', 'webhook.id', 'webhook_test.webhook_id')
    .selectAll('webhook_test')
    .select('webhook.kind')
    .where('webhook_test.webhook_id', '=', webhookId)
    .orderBy('webhook_test.seq', 'desc')
    .execute();
  const all = [...deployments.rows, ...tests.map((test) => recordOf(test, test))].toSorted((one, other) =>
    other.created_at < one.created_at ? -1 : Number(other.created_at > one.created_at),
  );
  return {
    total: deployments.total + tests.length,
    rows: page ? all.slice(page.offset, page.offset + page.limit) : all,
  };
}

/** Deletes a webhook with its deliveries and their records. */
export async function deleteWebhook(trx: Db, webhookId: string): Promise<void> {
  // Locked first: a transaction that adds a delivery holds the webhook until it ends.
  await trx.selectFrom('webhook').select('id').where('id', '=', webhookId).$call(trx.sql.held).execute();
  for (const table of ['webhook_test', 'webhook_attempt', 'webhook_delivery'] as const)
    await trx.deleteFrom(table).where('webhook_id', '=', webhookId).execute();
  await trx.deleteFrom('webhook').where('id', '=', webhookId).execute();
}
