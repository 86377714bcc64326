import type { Selectable } from 'kysely';
import { type EngineContext, iso } from '../context.ts';
import type { Lease } from '../lease.ts';
import type { WorkQueue } from '../worker.ts';
import type { DatabaseSchema, Db, WebhookTable } from '../../store/index.ts';
import type { DeliveryBody } from './outbox.ts';
import { slackText, type DeliveryRequest, type AttemptResult, sendDelivery, type SenderOptions } from './send.ts';
import { secretPath, shownAddress, splitTarget } from './target.ts';
import type { DeliveryCounts, Page, WebhookRecord } from '../engine.ts';

type Delivery = Selectable<DatabaseSchema['webhook_delivery']>;

/** The total number of attempts before a delivery is given up. */
export const maximumDeliveryAttempts = 6;

/** The delay between the first and second attempt. It doubles with every further attempt. */
export const firstRetrySeconds = 2;

/**
 * How many deliveries of one webhook are sent concurrently. Those for one service of a deployment are sent one at a
 * time.
 */
const concurrentDeliveries = 8;

/** How many recorded attempts each webhook keeps. */
const maximumAttemptRecords = 1000;

/** Settings for sending deliveries. */
export interface DeliveryOptions extends SenderOptions {
  /** Decrypts a webhook's sealed secret, or its sealed user name and password. */
  readonly openSecret: (sealed: string) => string;
  /** Counts the results of attempts. */
  readonly counts?: DeliveryCounts;
}

/** The body for a webhook. Slack displays `text`; the rest is the same for every kind. */
const bodyFor = (webhook: Selectable<WebhookTable>, body: string): string => {
  if (webhook.kind !== 'SLACK') return body;
  const delivery = JSON.parse(body) as DeliveryBody;
  const { service_name: name = delivery.payload.environment_id, status } = delivery.payload;
  return JSON.stringify({
    ...delivery,
    text: slackText(`${name}: ${delivery.event_type.toLowerCase().replace('_', ' ')} (${status})`),
  });
};

/** The HTTP request of a delivery to a webhook. */
export function deliveryRequestFor(
  delivery: Pick<Delivery, 'id' | 'body'>,
  webhook: Selectable<WebhookTable>,
  open: DeliveryOptions['openSecret'],
): DeliveryRequest {
  const { address, userinfo: urlUserinfo } = splitTarget(webhook.target_url);
  const userinfo = webhook.sealed_target_userinfo === null ? urlUserinfo : open(webhook.sealed_target_userinfo);
  return {
    url: address,
    deliveryId: delivery.id,
    body: bodyFor(webhook, delivery.body),
    secretPath: secretPath(webhook),
    ...(userinfo !== undefined && { userinfo }),
    ...(webhook.sealed_target_secret !== null && { secret: open(webhook.sealed_target_secret) }),
  };
}

/** Removes the oldest recorded attempts of a webhook. */
const pruneAttempts = async (trx: Db, webhookId: string): Promise<void> => {
  const newestDropped = trx
    .selectFrom('webhook_attempt')
    .select('seq')
    .where('webhook_id', '=', webhookId)
    .orderBy('seq', 'desc')
    .limit(1)
    .offset(maximumAttemptRecords);
  await trx
    .deleteFrom('webhook_attempt')
    .where('webhook_id', '=', webhookId)
    .where('seq', '<=', newestDropped)
    .execute();
};

/** Closes a delivery, successful or not, and makes the webhook's next one for the same service and deployment due. */
const closeDelivery = async (trx: Db, delivery: Delivery, at: number): Promise<void> => {
  await trx
    .updateTable('webhook_delivery')
    .set({ due_ms: null, owner: null })
    .where('seq', '=', delivery.seq)
    .execute();
  await trx
    .updateTable('webhook_delivery')
    .set({ due_ms: at })
    .where((eb) =>
      eb(
        'seq',
        '=',
        eb
          .selectFrom('webhook_delivery')
          .select(({ fn }) => fn.min('seq').as('seq'))
          .where('deployment_id', '=', delivery.deployment_id)
          .where('service_id', '=', delivery.service_id)
          .where('webhook_id', '=', delivery.webhook_id)
          .where('due_ms', 'is not', null),
      ),
    )
    .execute();
};

/**
 * Records the result of an attempt, unless another worker has taken the delivery over.
 * @returns the result for the delivery; undefined if nothing was recorded
 */
const recordAttempt = async (
  context: EngineContext,
  trx: Db,
  delivery: Delivery,
  webhook: Selectable<WebhookTable>,
  result: AttemptResult,
): Promise<keyof DeliveryCounts | undefined> => {
  const at = context.clock.now();
  const attempts = delivery.attempts + 1;
  const retryAt = Math.round(at + firstRetrySeconds * 1000 * 2 ** delivery.attempts * context.timeScale);
  const { numUpdatedRows } = await trx
    .updateTable('webhook_delivery')
    .set({ attempts, due_ms: retryAt, owner: null })
    .where('seq', '=', delivery.seq)
    .where('attempts', '=', delivery.attempts)
    .where('owner', '=', delivery.owner)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) return undefined;
  await trx
    .insertInto('webhook_attempt')
    .values({
      id: context.random.uuid(),
      delivery_id: delivery.id,
      webhook_id: webhook.id,
      created_at: iso(at),
      target_url: shownAddress(webhook),
      status_code: result.status,
      response_body: result.body,
    })
    .execute();
  if (result.outcome === 'try again' && attempts < maximumDeliveryAttempts) return 'retried';
  await closeDelivery(trx, delivery, at);
  return result.outcome === 'delivered' ? 'delivered' : 'failed';
};

/** The queue of webhook deliveries. Its items are webhooks, so that a slow receiver doesn't delay the others. */
export function deliveryQueue(context: EngineContext, options: DeliveryOptions): WorkQueue {
  const { db, clock } = context;

  const attempt = async (
    delivery: Delivery,
    webhook: Selectable<WebhookTable>,
    signal: AbortSignal,
  ): Promise<AttemptResult> => {
    try {
      return await sendDelivery(options, deliveryRequestFor(delivery, webhook, options.openSecret), signal);
    } catch (error) {
      signal.throwIfAborted();
      context.log.error({ err: error, webhook_id: webhook.id }, 'a webhook delivery could not be prepared');
      return {
        status: 0,
        body: "Not sent: the webhook's stored address or secret could not be read. Create the webhook again.",
        outcome: 'give up',
      };
    }
  };

  const claim = (lease: Lease, webhookId: string): Promise<Delivery[]> =>
    db.write(async (trx) => {
      await lease.renew(trx);
      const free = trx
        .selectFrom('webhook_delivery')
        .select('seq')
        .where('webhook_id', '=', webhookId)
        .where('due_ms', '<=', clock.now())
        .where((eb) => eb.or([eb('owner', 'is', null), eb('owner', '=', lease.owner)]))
        .orderBy('seq')
        .limit(concurrentDeliveries)
        .$call(trx.sql.claimed);
      return trx
        .updateTable('webhook_delivery')
        .set({ owner: lease.owner })
        .where('seq', 'in', free)
        .returningAll()
        .execute();
    });

  const deliver = async (webhookId: string, lease: Lease, signal: AbortSignal): Promise<void> => {
    const deliveries = await claim(lease, webhookId);
    const webhook = await db.selectFrom('webhook').selectAll().where('id', '=', webhookId).executeTakeFirst();
    // Deleted meanwhile, and its deliveries with it.
    if (webhook === undefined) return;
    const results =
      webhook.enabled === 1 ? await Promise.all(deliveries.map((delivery) => attempt(delivery, webhook, signal))) : [];
    const ends = await db.write(async (trx) => {
      const isThere = await trx
        .selectFrom('webhook')
        .select('id')
        .where('id', '=', webhookId)
        .$call(trx.sql.kept)
        .execute();
      if (isThere.length === 0) return [];
      await trx.lock(...deliveries.map((delivery) => delivery.deployment_id));
      const recorded: (keyof DeliveryCounts | undefined)[] = [];
      for (const [index, delivery] of deliveries.entries()) {
        const result = results[index];
        if (result === undefined) await closeDelivery(trx, delivery, clock.now());
        else recorded.push(await recordAttempt(context, trx, delivery, webhook, result));
      }
      await pruneAttempts(trx, webhookId);
      return recorded;
    });
    for (const end of ends) if (end && options.counts) options.counts[end] += 1;
  };

  const due = (lease: Lease, inProgress: readonly string[]) =>
    db
      .selectFrom('webhook_delivery')
      .where('due_ms', 'is not', null)
      .where((eb) => eb.or([eb('owner', 'is', null), eb('owner', '=', lease.owner)]))
      .$if(inProgress.length > 0, (query) => query.where('webhook_id', 'not in', [...inProgress]));

  return {
    name: 'webhooks',
    concurrency: 16,
    claimDue: async (lease, inProgress, limit) => {
      const rows = await due(lease, inProgress)
        .select('webhook_id')
        .distinct()
        .where('due_ms', '<=', clock.now())
        .limit(limit)
        .execute();
      return rows.map((row) => row.webhook_id);
    },
    run: deliver,
    nextDue: async (lease, inProgress) =>
      (await due(lease, inProgress).select('due_ms').orderBy('due_ms').limit(1).executeTakeFirst())?.due_ms ?? null,
    hasClaims: async () => false,
  };
}

/** The recorded attempts of the deliveries of deployments, newest first, and their total number. */
export async function deploymentAttempts(
  db: Db,
  webhookId: string,
  page?: Page,
): Promise<{ rows: WebhookRecord[]; total: number }> {
  const { total } = await db
    .selectFrom('webhook_attempt')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('webhook_id', '=', webhookId)
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom('webhook_attempt')
    .innerJoin('webhook_delivery', 'webhook_delivery.id', 'webhook_attempt.delivery_id')
    .innerJoin('webhook', 'webhook.id', 'webhook_attempt.webhook_id')
    .selectAll('webhook_attempt')
    .select(['webhook_delivery.body', 'webhook_delivery.due_ms', 'webhook.kind', 'webhook.enabled'])
    .select((eb) =>
      eb
        .selectFrom('webhook_attempt as later')
        .select(({ fn }) => fn.max('later.seq').as('seq'))
        .whereRef('later.delivery_id', '=', 'webhook_attempt.delivery_id')
        .as('last_seq'),
    )
    .where('webhook_attempt.webhook_id', '=', webhookId)
    .orderBy('webhook_attempt.seq', 'desc')
    .$if(page !== undefined, (query) => query.limit(page!.limit).offset(page!.offset))
    .execute();
  return {
    total,
    rows: rows.map((row) => {
      const request = JSON.parse(row.body) as DeliveryBody;
      return {
        id: row.id,
        created_at: row.created_at,
        kind: row.kind,
        matched_event: request.event_type,
        target_url_used: shownAddress(row),
        request,
        target_response_status_code: row.status_code,
        target_response_body: row.response_body,
        ...(row.due_ms !== null &&
          row.enabled === 1 &&
          row.seq === row.last_seq && { next_attempt_at: iso(row.due_ms) }),
      };
    }),
  };
}
