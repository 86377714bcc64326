import * as z from 'zod';
import { openWebhookKind, operations, reference, type InputOf } from '../../src/contract/index.ts';
import {
  defineTool,
  hasUserinfo,
  notAgreedTo,
  notKnown,
  reading,
  readUses,
  record,
  rowsIn,
  show,
  type JsonRecord,
  type Preview,
  type ToolContext,
  isRecord,
  organizationOf,
  pick,
  pruneRecord,
  table,
  tableText,
  textOf,
  type Renderer,
} from '../../src/server/tool/index.ts';
import { inKnownWords, knownEvents } from './event-words.ts';
import { joined, takenBackBy } from '../shared/plan-parts.ts';
import { changedText, counted, deliveriesOf, endsText, neverSent, totalsOf } from './deliveries.ts';
import { limitsOf, offLine, unknownProjects, wordsOf } from './webhook-filters.ts';
import { overviewMembers, webhooksText, webhooksWithDeliveries } from './webhooks-with-deliveries.ts';

const eventReads = readUses('events are not compared with those of other webhooks', operations.list_webhooks);

/** The event words that the platform's webhooks have, if some of this webhook's aren't among them. */
const otherEvents: Preview = reading(eventReads, async ({ organization_id: organization, events }, { reader }) => {
  const known = await knownEvents(String(organization), reader);
  const unknown = Array.isArray(events) ? events.filter((event) => !known.includes(String(event))) : [];
  return known.length > 0 && unknown.length > 0
    ? [
        {
          text: `No other webhook has the events ${unknown.join(', ')}; the others have ${known.join(', ')}.`,
          agreed: '',
        },
      ]
    : [];
});

const unlimited = 'It is sent those of every project and mode; a tool of the toolset administration limits it.';

/** An address without user name and password, and of a chat its host alone: the rest of it is not shown. */
function comparable({ kind, target_url: address }: JsonRecord): string | undefined {
  const url = URL.parse(String(address));
  if (!url) return undefined;
  return isOpen(kind) ? `${url.host}${url.pathname}${url.search}` : url.host;
}

const isOpen = (kind: unknown): boolean => kind === openWebhookKind;

/** Whether a webhook that is there already posts to the same address. */
const sameAddress: Preview = reading(
  readUses('whether there is a webhook with this address already is not known', operations.list_webhooks),
  async (args, { reader }) => {
    const list = await reader.attempt(operations.list_webhooks, { organization_id: String(args['organization_id']) });
    if (!list) return [notAgreedTo(notKnown('whether there is a webhook with this address already'))];
    const [own, isShown] = [comparable(args), isOpen(args['kind'])];
    const ids = rowsIn(list).flatMap((row) =>
      isOpen(row['kind']) === isShown && own !== undefined && comparable(row) === own ? (textOf(row, 'id') ?? []) : [],
    );
    const what = isShown
      ? 'There is a webhook with this address already'
      : 'There is a chat webhook at this host already, which may be the same: the rest of its address is not shown';
    return ids.length === 0 ? [] : [notAgreedTo(`${what}: ${ids.join(', ')}.`)];
  },
);

/** Which events a new webhook is sent. */
function sentFromNowOn(args: JsonRecord): readonly string[] {
  const limits = limitsOf(args);
  if (args['enabled'] === false) return [offLine];
  return limits.length === 0
    ? ['From now on every such event of the organization is sent to this address.', unlimited]
    : [`From now on every such event ${limits.join(', and ')} is sent to this address, and no other.`];
}

export const createWebhook = defineTool(operations.create_webhook, {
  toolset: 'webhooks',
  title: 'Set up a webhook: notifications of deployments',
  description:
    'Notify or tell Slack, a chat, CI server or URL (endpoint): post a message whenever a deployment (deploy) ' +
    'starts, succeeds, finishes, ends or fails.',
  fields: {
    events: 'DEPLOYMENT_STARTED, DEPLOYMENT_SUCCEEDED, DEPLOYMENT_FAILED or others of your platform.',
    target_secret: 'Shared secret, sent in a header.',
  },
  // What is rarely set is shown where it is set, and where webhooks are listed.
  output: operations.create_webhook.response.omit({ project_names_filter: true, environment_types_filter: true }),
  expand: async (args, context) => [
    { operation: operations.create_webhook, input: { kind: 'STANDARD', ...(await inKnownWords(args, context)) } },
  ],
  preview: joined(otherEvents, sameAddress, unknownProjects),
  hidden: ['project_names_filter', 'environment_types_filter'],
  plan: (args) => [
    ...sentFromNowOn(args),
    takenBackBy('delete_webhook'),
    'A tool of the toolset administration sends a test to it.',
    ...(hasUserinfo(args.target_url)
      ? [
          'The address has a user name or a password in it: they are kept like secrets, sent with every event, and not shown.',
        ]
      : []),
  ],
  render: record({ first: ['target_url', 'id', 'enabled', 'events'] }),
  next: ({ id }) =>
    typeof id === 'string'
      ? [
          { tool: 'test_webhook', arguments: { webhook_id: id }, why: 'sends a test to it', isForThoseWithIt: true },
          { tool: 'list_webhook_events', arguments: { webhook_id: id }, why: 'shows what was delivered' },
        ]
      : [],
});

/** The default columns of a webhook. */
export const webhookColumns = [
  'target_url',
  'enabled',
  'kind',
  'events',
  'project_names_filter',
  'environment_types_filter',
  'description',
  'target_secret_set',
  'id',
];

/** The default columns of a delivery. The whole request is an optional column. */
const deliveryColumns = [
  'created_at',
  'matched_event',
  'request.payload.service_name',
  'result',
  'attempts',
  'next_attempt_at',
  'target_response_status_code',
  'target_response_body',
  'target_url_used',
  'kind',
  'id',
];

/** The id of the organization that a call is about, and its webhooks; undefined if they can't be read. */
async function webhookList(
  organizationId: unknown,
  context: ToolContext,
): Promise<{ readonly organization: string; readonly list: JsonRecord } | undefined> {
  const organization = typeof organizationId === 'string' ? organizationId : await organizationOf(context);
  const list =
    organization === undefined
      ? undefined
      : await context.attempt(operations.list_webhooks, { organization_id: organization });
  return organization === undefined || list === undefined ? undefined : { organization, list };
}

/** All webhooks of the organization, each with what became of its newest deliveries. */
async function webhooksOf(organizationId: unknown, context: ToolContext): Promise<JsonRecord> {
  const found = await webhookList(organizationId, context);
  if (!found)
    return context.refuse(
      "the webhooks of the organization can't be listed here",
      'Give the id of the one whose deliveries are wanted: the answer that created it has it.',
    );
  return webhooksWithDeliveries(found.organization, rowsIn(found.list), webhookColumns, context);
}

/** What tells why nothing was sent: whether the webhook is off, and since when it is told of what. */
async function quietFacts(id: unknown, organizationId: unknown, context: ToolContext): Promise<JsonRecord> {
  const row = rowsIn((await webhookList(organizationId, context))?.list).find((one) => one['id'] === id);
  const events = wordsOf(row?.['events']);
  const isOff = row?.['enabled'] === false;
  return pruneRecord({
    webhook: isOff ? 'turned off' : undefined,
    changed_at: isOff ? row['updated_at'] : undefined,
    made_at: row?.['created_at'],
    told_of: row && events !== '' ? [events, ...orEverything(limitsOf(row))].join(' ') : undefined,
  });
}

const orEverything = (limits: readonly string[]): readonly string[] =>
  limits.length === 0 ? ['of every project and mode'] : [limits.join(', and ')];

function totalsText({ totals, pagination }: JsonRecord): string {
  const {
    deliveries,
    attempts,
    received,
    failed,
    waiting,
    next_attempt_at: next,
    webhook: off,
    changed_at: changedAt,
    made_at: madeAt,
    told_of: toldOf,
    code_0: unanswered,
  } = totals as JsonRecord;
  const { page, total_pages: pages, total_count: all } = isRecord(pagination) ? pagination : {};
  const ends = endsText({ received, failed, waiting });
  const isPart = typeof pages === 'number' && pages > 1;
  return [
    ...(off === undefined ? [] : [`The webhook is ${show(off)}${changedText(changedAt)}: ${neverSent}\n`]),
    `${counted(deliveries, 'delivery', 'deliveries')} in ${counted(attempts, 'attempt', 'attempts')}`,
    ...(deliveries === 0 ? [] : [`: ${ends}${next === undefined ? '' : `, next at ${show(next)}`}`]),
    '.',
    ...(unanswered === undefined ? [] : [` Code 0: ${show(unanswered)}.`]),
    ...(madeAt === undefined ? [] : [` No event for it is on record since it was made at ${show(madeAt)}.`]),
    ...(toldOf === undefined
      ? []
      : [` ${off === undefined ? 'It is told' : 'When it is on, it is told'} of ${show(toldOf)}.`]),
    ...(isPart
      ? [
          ` Page ${String(page)} of ${pages}, by attempts (${String(all)}): earlier ones of the last delivery may be on the next.`,
        ]
      : []),
  ].join('');
}

const rendered = (events: Renderer): Renderer => ({
  ...events,
  columns: [...deliveryColumns, 'request'],
  view: (answer) =>
    answer['webhooks'] === undefined
      ? { ...pick(answer, ['totals']), ...events.view(answer) }
      : pick(answer, overviewMembers),
  text: (view) => {
    if (view['webhooks'] === undefined) {
      const rows = rowsIn(view);
      return [totalsText(view), ...(rows.length === 0 ? [] : [tableText(rows, events.columns ?? [])])].join('\n');
    }
    return webhooksText(view, webhookColumns);
  },
  only: (columns) => rendered(table('delivery', columns)),
});

export const listWebhookEvents = defineTool(operations.list_webhook_events, {
  toolset: 'webhooks',
  title: 'Show each delivery of a webhook, failed calls',
  description:
    'Deliveries (calls, posts, notifications sent) of a webhook (Slack, endpoint), failed ones, too: content, ' +
    'response; code 0: not reached. Without webhook: all webhooks with their events.',
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
    const [answer, quiet] = await Promise.all([
      context.read(operations.list_webhook_events, args as InputOf<typeof operations.list_webhook_events>),
      quietFacts(webhook, organization, context),
    ]);
    const attempts = rowsIn(answer);
    const results = deliveriesOf(attempts);
    // An empty page behind the last one says nothing of what was sent.
    const isQuiet = results.length === 0 && (args['page'] ?? 1) === 1;
    const told = isQuiet ? quiet : pick(quiet, ['webhook', 'changed_at']);
    return { ...answer, results, totals: { ...totalsOf(attempts, results), ...told } };
  },
  render: rendered(table('delivery', deliveryColumns)),
});
