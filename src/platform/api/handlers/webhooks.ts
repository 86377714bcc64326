import type { Selectable } from 'kysely';
import type * as z from 'zod';
import { hiddenSecret, openWebhookKind, type operations } from '../../../contract/index.ts';
import { invalid, isoNow } from '../../common/index.ts';
import type { OperationHandlers } from '../handler.ts';
import type { Vault, WebhookTable } from '../../store/index.ts';
import { redactedTarget, splitTarget, type WebhookTest } from '../../engine/index.ts';
import { findById, findInOrganization } from './find.ts';
import { pageOfFetched, pageOf } from './page.ts';
import { ownedBy, withoutNulls } from './rows.ts';

type Request = z.output<typeof operations.create_webhook.body>;

const listOrAbsent = (json: string | null): string[] | undefined =>
  json === null ? undefined : (JSON.parse(json) as string[]);

/** A webhook in responses. Responses show whether it has a secret or credentials, but not their values. */
const webhookAnswer = (row: Selectable<WebhookTable>) => ({
  ...withoutNulls(row),
  target_url: redactedTarget(row),
  events: JSON.parse(row.events) as string[],
  enabled: row.enabled === 1,
  target_secret_set: row.sealed_target_secret !== null,
  project_names_filter: listOrAbsent(row.project_names_filter),
  environment_types_filter: listOrAbsent(row.environment_types_filter),
});

const jsonOrNull = (list: readonly string[] | undefined): string | null =>
  list === undefined || list.length === 0 ? null : JSON.stringify([...new Set(list)]);

/** The columns that a request sets, save for the address and what is secret. */
const columnsOf = (webhook: Request) => ({
  kind: webhook.kind,
  events: JSON.stringify([...new Set(webhook.events)]),
  enabled: webhook.enabled ? (1 as const) : (0 as const),
  description: webhook.description ?? null,
  project_names_filter: jsonOrNull(webhook.project_names_filter),
  environment_types_filter: jsonOrNull(webhook.environment_types_filter),
});

/**
 * The columns of an address. The mark of what is hidden in it keeps what is stored, for the same address only.
 * @throws ApiProblem 400 for a mark that keeps nothing, or that would show the address of a chat
 */
function addressColumns(
  { target_url: target, kind }: Pick<Request, 'target_url' | 'kind'>,
  vault: Vault,
  stored?: Selectable<WebhookTable>,
) {
  const isKept = stored !== undefined && target === redactedTarget(stored);
  if (isKept && kind === openWebhookKind && stored.kind !== kind)
    throw invalid('target_url', `is needed in full for a webhook that becomes ${kind}, whose address is shown`);
  if (isKept) return { target_url: stored.target_url, sealed_target_userinfo: stored.sealed_target_userinfo };
  const { address, userinfo } = splitTarget(target);
  if (userinfo?.includes(hiddenSecret))
    throw invalid(
      'target_url',
      `${hiddenSecret} stands for a user name and a password that are not shown; give the real ones, or an address without them`,
    );
  if (address.includes(hiddenSecret))
    throw invalid('target_url', `${hiddenSecret} stands for a part that is not shown; give the whole address`);
  return { target_url: address, sealed_target_userinfo: userinfo === undefined ? null : vault.seal(userinfo) };
}

export const webhookHandlers = {
  create_webhook: async ({ organization_id, ...webhook }, { db, clock, random, vault }) => {
    await findById(db, 'organization', organization_id);
    const address = addressColumns(webhook, vault);
    const now = isoNow(clock);
    const row = await db
      .insertInto('webhook')
      .values({
        id: random.uuid(),
        created_at: now,
        updated_at: now,
        organization_id,
        ...columnsOf(webhook),
        ...address,
        sealed_target_secret: webhook.target_secret === undefined ? null : vault.seal(webhook.target_secret),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return webhookAnswer(row);
  },
  list_webhooks: async (input, context) =>
    pageOf(await ownedBy(context, 'webhook', input.organization_id), input, (rows) => rows.map(webhookAnswer)),
  get_webhook: async ({ organization_id, webhook_id }, { db }) =>
    webhookAnswer(await findInOrganization(db, 'webhook', organization_id, webhook_id)),
  update_webhook: async ({ organization_id, webhook_id, ...webhook }, { db, clock, vault }) => {
    const stored = await findInOrganization(db, 'webhook', organization_id, webhook_id);
    const row = await db
      .updateTable('webhook')
      .set({
        ...columnsOf(webhook),
        ...addressColumns(webhook, vault, stored),
        // A request without a secret keeps the stored one, because it can't be read.
        ...(webhook.target_secret !== undefined && { sealed_target_secret: vault.seal(webhook.target_secret) }),
        updated_at: isoNow(clock),
      })
      .where('id', '=', stored.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return webhookAnswer(row);
  },
  delete_webhook: async ({ organization_id, webhook_id }, { db, engine }) => {
    const { id } = await findInOrganization(db, 'webhook', organization_id, webhook_id);
    await engine.deleteWebhook(db, id);
  },
  test_webhook: {
    prepare: async ({ organization_id, webhook_id }, { db, engine }) =>
      engine.sendWebhookTest(await findInOrganization(db, 'webhook', organization_id, webhook_id)),
    handle: async ({ organization_id, webhook_id }, { db, engine }, test: WebhookTest) =>
      engine.recordWebhookTest(db, await findInOrganization(db, 'webhook', organization_id, webhook_id), test),
  },
  list_webhook_events: async (input, { db, engine }) => {
    await findInOrganization(db, 'webhook', input.organization_id, input.webhook_id);
    return pageOfFetched(input, (slice) => engine.webhookEvents(db, input.webhook_id, slice));
  },
} satisfies Partial<
  OperationHandlers<
    'create_webhook' | `${'get' | 'update' | 'delete' | 'test'}_webhook` | 'list_webhooks' | 'list_webhook_events'
  >
>;
