import { maximumPageSize, operations } from '../../src/contract/index.ts';
import {
  isRecord,
  pick,
  pruneRecord,
  recordsIn,
  rowsIn,
  show,
  tableText,
  textOf,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { allowedRequests, eachWithin } from '../shared/allowance.ts';
import { someNames, unlessFailing } from '../shared/places.ts';
import { changedText, counted, deliveriesOf, endsText, neverSent, totalsOf } from './deliveries.ts';

/** Columns of the deliveries of a webhook. */
const counts = ['deliveries', 'received', 'failed', 'waiting', 'last_failure_at'] as const;

/** Maximum number of webhooks whose deliveries one answer counts. */
const mostCounted = 10;

const nameOf = (row: JsonRecord): string => show(row['target_url'] ?? row['id']);

const named = (rows: readonly JsonRecord[]): string | undefined =>
  rows.length === 0 ? undefined : someNames(rows.map(nameOf));

/** What became of the newest deliveries of a webhook, and whether there are more of them; undefined if unreadable. */
async function countsOf(organization: string, id: string, context: ToolContext) {
  const where = { organization_id: organization, webhook_id: id, page: 1, page_size: maximumPageSize };
  const answer = await unlessFailing(context.attempt(operations.list_webhook_events, where));
  if (!answer) return undefined;
  const attempts = rowsIn(answer);
  const { last_failure: failure, ...totals } = totalsOf(attempts, deliveriesOf(attempts));
  const pages = isRecord(answer['pagination']) ? answer['pagination']['total_pages'] : undefined;
  return {
    counts: { ...totals, last_failure_at: isRecord(failure) ? failure['created_at'] : undefined },
    isPart: typeof pages === 'number' ? pages > 1 : attempts.length >= maximumPageSize,
  };
}

/** Members of the answer, beside those of each webhook. */
export const overviewMembers = ['webhooks', 'part', 'unread', 'not_counted'];

/**
 * The webhooks of an organization, each with what became of its newest deliveries.
 * @param columns the members of a webhook to show
 */
export async function webhooksWithDeliveries(
  organization: string,
  rows: readonly JsonRecord[],
  columns: readonly string[],
  context: ToolContext,
): Promise<JsonRecord> {
  const allowance = { remainingRequests: Math.min(mostCounted, allowedRequests(context, 'overview')) };
  const read = await eachWithin(rows, allowance, async (row) => {
    const id = textOf(row, 'id');
    return { row, found: id === undefined ? undefined : await countsOf(organization, id, context) };
  });
  return pruneRecord({
    webhooks: rows.map((row, index) =>
      pruneRecord({
        ...pick(row, columns),
        changed_at: row['enabled'] === false ? row['updated_at'] : undefined,
        ...pick(read[index]?.found?.counts ?? {}, counts),
      }),
    ),
    part: named(read.flatMap(({ row, found }) => (found?.isPart === true ? [row] : []))),
    unread: named(read.flatMap(({ row, found }) => (found ? [] : [row]))),
    not_counted: named(rows.slice(read.length)),
  });
}

/** That webhooks are off, one sentence each: nothing else tells what they were not sent. */
const offTexts = (webhooks: readonly JsonRecord[]): readonly string[] => [
  ...webhooks.flatMap((row) =>
    row['enabled'] === false ? [`${nameOf(row)} is turned off${changedText(row['changed_at'])}: ${neverSent}`] : [],
  ),
  ...(webhooks.every(({ enabled }) => enabled === false) ? ['None is on: nobody is told of deployments.'] : []),
];

/** The webhooks as text: first what can be misread as if all was delivered. */
export function webhooksText(view: JsonRecord, columns: readonly string[]): string {
  const webhooks = recordsIn(view['webhooks']);
  if (webhooks.length === 0) return 'There are no webhooks: nothing is told of deployments.';
  const sum = (member: string): number => webhooks.reduce((all, row) => all + Number(row[member] ?? 0), 0);
  const ends = endsText({ received: sum('received'), failed: sum('failed'), waiting: sum('waiting') });
  const [first = '', second = '', ...others] = columns;
  return [
    counted(webhooks.length, 'webhook', 'webhooks'),
    ...offTexts(webhooks),
    `Deliveries on record: ${sum('deliveries')}; ${ends}.`,
    ...(view['part'] === undefined
      ? []
      : [`Of ${show(view['part'])} only the newest ${maximumPageSize} attempts count.`]),
    ...(view['unread'] === undefined ? [] : [`The deliveries of ${show(view['unread'])} could not be read.`]),
    ...(view['not_counted'] === undefined
      ? []
      : [`Not counted, to spare requests: those of ${show(view['not_counted'])}. Give webhook for one of them.`]),
    tableText(webhooks, [first, second, ...counts, ...others]),
  ].join('\n');
}
