import * as z from 'zod';
import { hiddenSecret, openWebhookKind, operations } from '../../src/contract/index.ts';
import {
  defineTool,
  partialUpdate,
  reading,
  readUses,
  record,
  show,
  table,
  type JsonRecord,
  type Preview,
  type ToolContext,
  rowsIn,
} from '../../src/server/tool/index.ts';
import { joined, movedSecretLines } from '../shared/plan-parts.ts';
import { inKnownWords } from './event-words.ts';
import { limitsOf, offLine, unknownProjects, wordsOf } from './webhook-filters.ts';
import { webhookColumns } from './webhooks.ts';

export const listWebhooks = defineTool(operations.list_webhooks, {
  toolset: 'administration',
  title: 'All webhooks: who is told of deployments',
  description:
    'List each webhook: which URLs, chats get notifications of deployments, events, projects, modes, on or off.',
  render: table('webhook', webhookColumns),
});

/** A webhook as it is now, by its own read or, where the platform lacks that, from the list. */
async function presentWebhook(
  { webhook_id: id, organization_id: organization }: JsonRecord,
  { attempt }: Pick<ToolContext, 'attempt'>,
): Promise<JsonRecord | undefined> {
  const place = { organization_id: String(organization) };
  return (
    (await attempt(operations.get_webhook, { ...place, webhook_id: String(id) })) ??
    rowsIn(await attempt(operations.list_webhooks, place)).find((row) => row['id'] === id)
  );
}

const presentReads = readUses(
  'the plan does not show the webhook as it is now',
  operations.get_webhook,
  operations.list_webhooks,
);

/** The webhook that a call acts on, in one line. */
function webhookText(webhook: JsonRecord): string {
  return [
    `The webhook posts ${wordsOf(webhook['events']) || 'no events'} to ${show(webhook['target_url'])}`,
    ...limitsOf(webhook).map((limit) => `, ${limit}`),
    webhook['enabled'] === false ? '; it is off.' : '.',
  ].join('');
}

const update = partialUpdate(operations.update_webhook);

/** Whether a stored secret gets another address. */
const movedSecret: Preview = reading(presentReads, async (args, { reader }) => {
  const present = await presentWebhook(args, reader);
  const hasStored = present?.['target_secret_set'] === true && args['target_secret'] === undefined;
  return movedSecretLines('target_url', args, present, hasStored);
});

/** Whether it is off, also after the change. */
const staysOff: Preview = reading(presentReads, async (args, { reader }) => {
  const present = await presentWebhook(args, reader);
  return present?.['enabled'] === false && args['enabled'] !== true ? [offLine] : [];
});

export const updateWebhook = defineTool(operations.update_webhook, {
  toolset: 'administration',
  title: 'Change a webhook: its address, events or filters',
  description:
    'Change a webhook: turn or switch it off, another URL; also events, project_names_filter, ' +
    'environment_types_filter, target_secret.',
  ...update,
  preview: joined(update.preview, movedSecret, staysOff, unknownProjects),
  expand: async (args, context) => update.expand(await inKnownWords(args, context), context),
  fields: { enabled: 'On.' },
  hidden: ['kind', 'description', 'events', 'target_secret', 'project_names_filter', 'environment_types_filter'],
});

const goesAway: Preview = reading(presentReads, async (args, { reader }) => {
  const present = await presentWebhook(args, reader);
  if (!present)
    return ['Which webhook this is is not known: the platform does not tell, or the token may not read it.'];
  const hasHidden =
    present['kind'] !== openWebhookKind ||
    present['target_secret_set'] === true ||
    String(present['target_url']).includes(hiddenSecret);
  return [
    webhookText(present),
    'Whoever listens there is told of nothing more, and the records of its deliveries go with it.',
    ...(hasHidden ? ['Its secret can not be read: whoever sets it up again has to have it.'] : []),
  ];
});

export const deleteWebhook = defineTool(operations.delete_webhook, {
  toolset: 'administration',
  title: 'Remove a webhook',
  description: 'Delete a webhook: stop posting for good. To turn it off, update it with enabled: false.',
  preview: goesAway,
  render: record(),
});

const onlyThis = 'off: this test is sent all the same, and nothing else';

const alsoWhereOff: Preview = reading(presentReads, async (args, { reader }) =>
  (await presentWebhook(args, reader))?.['enabled'] === false ? [`It is ${onlyThis}.`] : [],
);

export const testWebhook = defineTool(operations.test_webhook, {
  toolset: 'administration',
  title: 'Try a webhook out',
  description: 'Test a webhook: post an event to its address, also to one that is off; how it answered.',
  reads: presentReads,
  output: operations.test_webhook.response.extend({ webhook: z.string().optional() }),
  answer: async (args, context, [delivery = {}]) => {
    const isOff = (await presentWebhook(args, context))?.['enabled'] === false;
    return { ...delivery, ...(isOff && { webhook: onlyThis }) };
  },
  preview: alsoWhereOff,
  render: record({
    first: ['target_response_status_code', 'target_response_body', 'webhook', 'target_url_used', 'created_at'],
  }),
});
