import { type Selectable, sql } from 'kysely';
import { defaultPageSizes } from '../../../contract/index.ts';
import { invalid, uuidFrom } from '../../common/index.ts';
import { type AuditEventTable, type Db, readSetting } from '../../store/index.ts';
import type { OperationHandlers } from '../handler.ts';
import { findById } from './find.ts';

type Row = Selectable<AuditEventTable>;

/** A position in the list, given by an adjacent event. */
const tokenOf = ({ created_at, seq }: Row): string => `${created_at}_${seq}`;

const parseToken = (member: string, token: string): { readonly at: string; readonly seq: number } => {
  const [, at, seq] = /^(\d{4}-[\d:.TZ-]+)_(\d+)$/.exec(token) ?? [];
  if (at === undefined) throw invalid(member, 'is none that this platform gave; leave it out for the newest events');
  return { at, seq: Number(seq) };
};

/** The columns of the equality filters, by the members of the input. */
const filters = {
  event_type: 'event_type',
  target_type: 'target_type',
  target_id: 'target_id',
  sub_target_type: 'sub_target_type',
  triggered_by: 'triggered_by',
  origin: 'origin',
  service_project_id: 'project_id',
  service_environment_id: 'environment_id',
} as const;

type Input = Partial<Record<keyof typeof filters, string | undefined>> & {
  readonly from_timestamp?: string | undefined;
  readonly to_timestamp?: string | undefined;
};

const matching = (db: Db, organizationId: string, input: Input) => {
  const named = Object.entries(filters).flatMap(([member, column]) => {
    const value = input[member as keyof typeof filters];
    return value === undefined ? [] : [[column, column.endsWith('_id') ? value.toLowerCase() : value] as const];
  });
  const all = db.selectFrom('audit_event').selectAll().where('organization_id', '=', organizationId);
  const ofKind = named.reduce((query, [column, value]) => query.where(column, '=', value), all);
  const since =
    input.from_timestamp === undefined
      ? ofKind
      : ofKind.where('created_at', '>=', new Date(input.from_timestamp).toISOString());
  return input.to_timestamp === undefined
    ? since
    : since.where('created_at', '<=', new Date(input.to_timestamp).toISOString());
};

const position = sql<string>`(created_at, seq)`;

const eventAnswer = ({ created_at, ...event }: Row) => ({
  ...event,
  id: uuidFrom(`${event.organization_id}/event/${event.seq}`),
  timestamp: created_at,
});

export const eventHandlers = {
  list_events: async ({ organization_id, page_size, continue_token, step_back_token, ...input }, { db }) => {
    await findById(db, 'organization', organization_id);
    if (input.target_id !== undefined && input.target_type === undefined) throw invalid('targetId', 'needs targetType');
    const size = page_size ?? defaultPageSizes.events;
    const query = matching(db, organization_id, input);
    const after = continue_token === undefined ? undefined : parseToken('continueToken', continue_token);
    const before = step_back_token === undefined ? undefined : parseToken('stepBackToken', step_back_token);
    const placed = after
      ? query.where(position, '<', sql<string>`(${after.at}, ${after.seq})`)
      : before
        ? query.where(position, '>', sql<string>`(${before.at}, ${before.seq})`)
        : query;
    const direction = before && !after ? 'asc' : 'desc';
    const found = await placed
      .orderBy('created_at', direction)
      .orderBy('seq', direction)
      .limit(size + 1)
      .execute();
    const page = direction === 'desc' ? found.slice(0, size) : found.slice(0, size).toReversed();
    const hasMore = found.length > size;
    const [first, last] = [page[0], page.at(-1)];
    const hasNext = direction === 'desc' ? hasMore : true;
    const hasPrevious = direction === 'desc' ? after !== undefined : hasMore;
    return {
      events: page.map(eventAnswer),
      links: {
        previous: hasPrevious && first ? `stepBackToken=${tokenOf(first)}` : null,
        next: hasNext && last ? `continueToken=${tokenOf(last)}` : null,
      },
      organization_max_limit_reached: (await readSetting(db, 'events_removed')) !== undefined,
      events_since: await readSetting(db, 'events_since'),
    };
  },
} satisfies Partial<OperationHandlers<'list_events'>>;
