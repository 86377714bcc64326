import type { Page, WebhookRecord } from '../engine.ts';
import type { Db } from '../../store/database.ts';
import type { DeliveryBody } from './outbox.ts';

/** Recorded delivery attempts of a webhook, newest first, and how many there are. */
export async function webhookRecords(db: Db, webhookId: string, page?: Page): Promise<{ rows: WebhookRecord[]; total: number }> {
  const { total } = await db
    .selectFrom('webhook_attempt').select(({ fn }) => fn.countAll<number>().as('total')).where('webhook_id', '=', webhookId).executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom('webhook_attempt')
    .innerJoin('webhook_delivery', 'webhook_delivery.id', 'webhook_attempt.delivery_id')
    .innerJoin('webhook', 'webhook.id', 'webhook_attempt.webhook_id')
    .selectAll('webhook_attempt')
    .select(['webhook_delivery.body', 'webhook.kind'])
    .where('webhook_attempt.webhook_id', '=', webhookId)
    .orderBy('webhook_attempt.seq', 'desc')
    .$if(page !== undefined, (query) => query.limit(page!.limit).offset(page!.offset))
    .execute();
  return {
    total,
    rows: rows.map((row) => {
      const request = JSON.parse(row.body) as DeliveryBody;
      return {
        id: row.id, created_at: row.created_at, kind: row.kind, matched_event: request.event_type, target_url_used: row.target_url, request,
        target_response_status_code: row.status_code, target_response_body: row.response_body,
      };
    }),
  };
}
