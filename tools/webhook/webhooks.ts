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
  recordsIn,
  table,
  tableText,
  textOf,
  type Renderer,
} from '../../src/server/tool/index.ts';
import { inKnownWords, knownEvents } from './event-words.ts';
import { joined, takenBackBy } from '../shared/plan-parts.ts';
import { limitsOf, offLine, unknownProjects, wordsOf } from './webhook-filters.ts';

const isReceived = ({ target_response_status_code: status }: JsonRecord): boolean =>
  typeof status === 'number' && status >= 200 && status < 300;

const resultOf = (attempt: JsonRecord): 'received' | 'waiting' | 'failed' =>
  isReceived(attempt) ? 'received' : attempt['next_attempt_at'] === undefined ? 'failed' : 'waiting';

/** The status of an answer; a platform may leave it out. */
const statusText = (code: unknown): string => (typeof code === 'number' ? String(code) : 'status not known');

/** What tells the delivery that an attempt belongs to: its request, or itself if there is none. */
const requestOf = ({ id, request: sent }: JsonRecord): string =>
  isRecord(sent) && Object.keys(sent).length > 0 ? JSON.stringify(sent) : String(id);

/**
 * One row per delivery, from one per attempt: attempts of a delivery have the same request. A row has the members of
 * the last attempt, newest rows first, as the attempts are.
 */
function deliveriesOf(attempts: readonly JsonRecord[]): JsonRecord[] {
  return [...Map.groupBy(attempts, requestOf).values()].map((ofOne) => {
    const last = ofOne[0]!;
    const answers = ofOne
      .toReversed()
      .map(({ target_response_status_code: code, created_at: at }) => `${statusText(code)} at ${String(at)}`);
    return { ...last, result: resultOf(last), attempts: `${ofOne.length}: ${answers.join(', ')}` };
  });
}

/** How the deliveries on a page ended, by their attempts. */
function totalsOf(attempts: readonly JsonRecord[], deliveries: readonly JsonRecord[]): JsonRecord {
  const ended = (result: string): number => deliveries.filter((delivery) => delivery['result'] === result).length;
  const failure = attempts.find((attempt) => !isReceived(attempt));
  const next = deliveries.flatMap(({ next_attempt_at: at }) => (typeof at === 'string' ? [at] : [])).toSorted()[0];
  return pruneRecord({
    attempts: attempts.length,
    deliveries: deliveries.length,
    received: ended('received'),
    failed: ended('failed'),
    waiting: ended('waiting'),
    next_attempt_at: next,
    code_0: attempts.some(({ target_response_status_code: code }) => code === 0) ? 'no answer came' : undefined,
    last_failure: failure && pick(failure, ['created_at', 'target_response_status_code', 'target_response_body']),
  });
}

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

/** The list of an organization's webhooks; undefined if it can't be read. */
async function webhookList(organizationId: unknown, context: ToolContext): Promise<JsonRecord | undefined> {
  const organization = typeof organizationId === 'string' ? organizationId : await organizationOf(context);
  return organization === undefined
    ? undefined
    : context.attempt(operations.list_webhooks, { organization_id: organization });
}

async function webhooksOf(organizationId: unknown, context: ToolContext): Promise<JsonRecord> {
  const list = await webhookList(organizationId, context);
  if (!list)
    return context.refuse(
      "the webhooks of the organization can't be listed here",
      'Give the id of the one whose deliveries are wanted: the answer that created it has it.',
    );
  return { webhooks: rowsIn(list).map((row) => pruneRecord(pick(row, webhookColumns))) };
}

/** What tells why nothing was sent: whether the webhook is off, and since when it is told of what. */
async function quietFacts(id: unknown, organizationId: unknown, context: ToolContext): Promise<JsonRecord> {
  const row = rowsIn(await webhookList(organizationId, context)).find((one) => one['id'] === id);
  const events = wordsOf(row?.['events']);
  return pruneRecord({
    webhook: row?.['enabled'] === false ? 'turned off' : undefined,
    made_at: row?.['created_at'],
    told_of: row && events !== '' ? [events, ...orEverything(limitsOf(row))].join(' ') : undefined,
  });
}

const orEverything = (limits: readonly string[]): readonly string[] =>
  limits.length === 0 ? ['of every project and mode'] : [limits.join(', and ')];

const counted = (count: unknown, one: string, more: string): string => `${String(count)} ${count === 1 ? one : more}`;

function totalsText({ totals, pagination }: JsonRecord): string {
  const {
    deliveries,
    attempts,
    received,
    failed,
    waiting,
    next_attempt_at: next,
    webhook: off,
    made_at: madeAt,
    told_of: toldOf,
    code_0: unanswered,
  } = totals as JsonRecord;
  const { page, total_pages: pages, total_count: all } = isRecord(pagination) ? pagination : {};
  const ends = [
    `${String(received)} received`,
    `${String(failed)} failed`,
    `${String(waiting)} to be tried again${next === undefined ? '' : `, next at ${show(next)}`}`,
  ];
  const isPart = typeof pages === 'number' && pages > 1;
  return [
    `${counted(deliveries, 'delivery', 'deliveries')} in ${counted(attempts, 'attempt', 'attempts')}`,
    ...(deliveries === 0 ? [] : [`: ${ends.join(', ')}`]),
    '.',
    ...(unanswered === undefined ? [] : [` Code 0: ${show(unanswered)}.`]),
    ...(off === undefined ? [] : [` The webhook is ${show(off)}: it is sent nothing.`]),
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
      : pick(answer, ['webhooks']),
  text: (view) => {
    if (view['webhooks'] === undefined) {
      const rows = rowsIn(view);
      return [totalsText(view), ...(rows.length === 0 ? [] : [tableText(rows, events.columns ?? [])])].join('\n');
    }
    const webhooks = recordsIn(view['webhooks']);
    return webhooks.length === 0
      ? 'There are no webhooks: nothing is told of deployments.'
      : `${webhooks.length} ${webhooks.length === 1 ? 'webhook' : 'webhooks'}\n${tableText(webhooks, webhookColumns)}`;
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
    const answer = await context.read(
      operations.list_webhook_events,
      args as InputOf<typeof operations.list_webhook_events>,
    );
    const attempts = rowsIn(answer);
    const results = deliveriesOf(attempts);
    const quiet = results.length === 0 ? await quietFacts(webhook, organization, context) : {};
    // An empty page behind the last one says nothing of what was sent.
    const told = (args['page'] ?? 1) === 1 ? quiet : pick(quiet, ['webhook']);
    return { ...answer, results, totals: { ...totalsOf(attempts, results), ...told } };
  },
  render: rendered(table('delivery', deliveryColumns)),
});
