import type { Selectable } from 'kysely';
import { hiddenSecret } from '../../../contract/index.ts';
import { invalid, isoNow } from '../../common/index.ts';
import type { OperationHandlers } from '../handler.ts';
import type { WebhookTable } from '../../store/index.ts';
import { redactedTarget, splitTarget } from '../../engine/index.ts';
import { findById, findInOrganization } from './find.ts';
import { pageOfFetched, pageOf } from './page.ts';
import { ownedBy, withoutNulls } from './rows.ts';

/** A webhook in responses. Responses show whether it has a secret or credentials, but not their values. */
const webhookAnswer = (row: Selectable<WebhookTable>) => ({
  ...withoutNulls(row),
  target_url: redactedTarget(row),
  events: JSON.parse(row.events) as string[],
  enabled: row.enabled === 1,
  target_secret_set: row.sealed_target_secret !== null,
});

export const webhookHandlers = {
  create_webhook: async ({ organization_id, ...webhook }, { db, clock, random, vault }) => {
    await findById(db, 'organization', organization_id);
    const { address, userinfo } = splitTarget(webhook.target_url);
    if (userinfo?.includes(hiddenSecret))
      throw invalid(
        'target_url',
        `${hiddenSecret} stands for a user name and a password that are not shown; give the real ones, or an address without them`,
      );
    const now = isoNow(clock);
    const row = await db
      .insertInto('webhook')
      .values({
        id: random.uuid(),
        created_at: now,
        updated_at: now,
        organization_id,
        kind: webhook.kind,
        target_url: address,
        events: JSON.stringify([...new Set(webhook.events)]),
        enabled: webhook.enabled ? 1 : 0,
        description: webhook.description ?? null,
        sealed_target_secret: webhook.target_secret === undefined ? null : vault.seal(webhook.target_secret),
        sealed_target_userinfo: userinfo === undefined ? null : vault.seal(userinfo),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return webhookAnswer(row);
  },
  list_webhooks: async (input, context) =>
    pageOf(await ownedBy(context, 'webhook', input.organization_id), input, (rows) => rows.map(webhookAnswer)),
  list_webhook_events: async (input, { db, engine }) => {
    await findInOrganization(db, 'webhook', input.organization_id, input.webhook_id);
    return pageOfFetched(input, (slice) => engine.webhookEvents(db, input.webhook_id, slice));
  },
} satisfies Partial<OperationHandlers<'create_webhook' | 'list_webhooks' | 'list_webhook_events'>>;
