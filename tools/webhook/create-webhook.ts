import { operations, otherEventWord } from '../../src/contract/index.ts';
import {
  defineTool,
  hasUserinfo,
  reading,
  readUses,
  record,
  rowsIn,
  type JsonRecord,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';

const eventReads = readUses('events are not compared with those of other webhooks', operations.list_webhooks);

type Lists = Pick<ToolContext, 'attempt'>;

/** The event words of the organization's webhooks; empty if there are none, or they can't be read. */
async function knownEvents(organization: string, { attempt }: Lists): Promise<readonly string[]> {
  const webhooks = rowsIn(await attempt(operations.list_webhooks, { organization_id: organization }));
  return [
    ...new Set(
      webhooks.flatMap(({ events }) =>
        Array.isArray(events) ? events.filter((event) => typeof event === 'string') : [],
      ),
    ),
  ];
}

/** An event in the spelling that the platform's own webhooks have, if they have only the other one. */
function asKnown(event: string, known: readonly string[]): string {
  const other = otherEventWord(event);
  return other !== undefined && known.includes(other) && !known.includes(event) ? other : event;
}

/** The request, with its kind, and with events in the platform's spelling. */
async function request(args: JsonRecord, context: ToolContext): Promise<JsonRecord> {
  const events = args['events'] as readonly string[];
  const hasSpellings = events.some((event) => otherEventWord(event) !== undefined);
  // What can't be read is no obstacle: the words are sent as they were given.
  const known = hasSpellings ? await knownEvents(String(args['organization_id']), context).catch(() => []) : [];
  return { kind: 'STANDARD', ...args, events: [...new Set(events.map((event) => asKnown(event, known)))] };
}

/** The event words that the platform's webhooks have, if some of this webhook's aren't among them. */
const otherEvents: Preview = reading(eventReads, async ({ organization_id: organization, events }, { reader }) => {
  const known = await knownEvents(String(organization), reader);
  const unseen = Array.isArray(events) ? events.filter((event) => !known.includes(String(event))) : [];
  return known.length > 0 && unseen.length > 0
    ? [
        {
          text: `No other webhook has the events ${unseen.join(', ')}; the others have ${known.join(', ')}.`,
          agreed: '',
        },
      ]
    : [];
});

const unlimited = 'It is sent those of every project and mode: it can not be limited to some here.';

export const createWebhook = defineTool(operations.create_webhook, {
  toolset: 'webhooks',
  title: 'Set up a webhook: messages about deployments',
  description:
    'Notify Slack, another chat or a build system: sends a message when a deployment (deploy) starts, succeeds or fails, as a POST to an address.',
  fields: { target_secret: 'Shared secret, sent in a header.' },
  expand: async (args, context) => [{ operation: operations.create_webhook, input: await request(args, context) }],
  answer: async (_, context, [created = {}]) => {
    context.leftOut(unlimited);
    return created;
  },
  preview: otherEvents,
  plan: ({ target_url }) => [
    'From now on every such event of the organization is sent to this address.',
    unlimited,
    ...(hasUserinfo(target_url)
      ? [
          'The address has a user name or a password in it: they are kept like secrets, sent with every event, and not shown.',
        ]
      : []),
  ],
  render: record({ first: ['target_url', 'id', 'enabled', 'events'] }),
  next: ({ id }) =>
    typeof id === 'string'
      ? [{ tool: 'list_webhook_events', arguments: { webhook_id: id }, why: 'shows what was delivered' }]
      : [],
});
