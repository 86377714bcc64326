import * as z from 'zod';
import { operations, reference, type InputOf } from '../../src/contract/index.ts';
import {
  defineTool,
  organizationOf,
  pick,
  pruneRecord,
  readUses,
  recordsIn,
  rowsIn,
  table,
  tableText,
  type JsonRecord,
  type Renderer,
  type ToolContext,
} from '../../src/server/tool/index.ts';

const webhookColumns = ['target_url', 'enabled', 'kind', 'events', 'description', 'target_secret_set', 'id'];

/** What is shown of a delivery. The whole request is shown to who asks for that column. */
const eventColumns = [
  'created_at',
  'matched_event',
  'request.payload.service_name',
  'target_response_status_code',
  'target_response_body',
  'target_url_used',
  'kind',
  'id',
];

async function webhooksOf(organizationId: unknown, context: ToolContext): Promise<JsonRecord> {
  const organization = typeof organizationId === 'string' ? organizationId : await organizationOf(context);
  const list =
    organization === undefined
      ? undefined
      : await context.attempt(operations.list_webhooks, { organization_id: organization });
  if (!list)
    return context.refuse(
      "the webhooks of the organization can't be listed here",
      'Give the id of the one whose deliveries are wanted: the answer that created it has it.',
    );
  return { webhooks: rowsIn(list).map((row) => pruneRecord(pick(row, webhookColumns))) };
}

const isReceived = ({ target_response_status_code: status }: JsonRecord): boolean =>
  typeof status === 'number' && status >= 200 && status < 300;

/** How the attempts of a page ended. The newest come first. */
function totalsOf(events: readonly JsonRecord[]): JsonRecord {
  const failed = events.filter((event) => !isReceived(event));
  const [last] = failed;
  return pruneRecord({
    attempts: events.length,
    received: events.length - failed.length,
    failed: failed.length,
    last_failure: last && pick(last, ['created_at', 'target_response_status_code', 'target_response_body']),
  });
}

function totalsText(view: JsonRecord): string {
  const { attempts, received, failed } = view['totals'] as JsonRecord;
  return `Of these ${String(attempts)} attempts: ${String(received)} received, ${String(failed)} failed.`;
}

const rendered = (events: Renderer): Renderer => ({
  ...events,
  columns: [...eventColumns, 'request'],
  view: (answer) =>
    answer['webhooks'] === undefined
      ? { ...pick(answer, ['totals']), ...events.view(answer) }
      : pick(answer, ['webhooks']),
  text: (view) => {
    if (view['webhooks'] === undefined)
      return [
        ...(rowsIn(view).length > 0 && view['totals'] !== undefined ? [totalsText(view)] : []),
        events.text(view),
      ].join('\n');
    const webhooks = recordsIn(view['webhooks']);
    return webhooks.length === 0
      ? 'There are no webhooks: nothing is told of deployments.'
      : `${webhooks.length} ${webhooks.length === 1 ? 'webhook' : 'webhooks'}\n${tableText(webhooks, webhookColumns)}`;
  },
  only: (columns) => rendered(table('event', columns)),
});

export const listWebhookEvents = defineTool(operations.list_webhook_events, {
  toolset: 'webhooks',
  title: 'Deliveries of a webhook, failed ones too',
  description:
    'Did the calls of a webhook get through? Its delivery history: what was sent and how the receiver answered, newest first. Code 0: ' +
    'the address was not reached. Without webhook: which webhooks there are, who is told of what.',
  input: { webhook_id: reference('webhook').optional() },
  reads: readUses('the webhooks are not listed', operations.list_webhooks, operations.get_organization),
  output: z
    .object({
      results: operations.list_webhook_events.response.shape.results.optional(),
      totals: z.object({}),
      pagination: z.object({}),
      webhooks: z.array(z.object({ id: z.string(), target_url: z.string() })),
    })
    .partial(),
  answer: async (args, context) => {
    const { webhook_id: webhook, organization_id: organization } = args as Partial<
      InputOf<typeof operations.list_webhook_events>
    >;
    if (webhook === undefined) return webhooksOf(organization, context);
    const answer = await context.read(
      operations.list_webhook_events,
      args as InputOf<typeof operations.list_webhook_events>,
    );
    return { ...answer, totals: totalsOf(rowsIn(answer)) };
  },
  render: rendered(table('event', eventColumns)),
});
