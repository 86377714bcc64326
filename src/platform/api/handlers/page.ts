import type { SelectQueryBuilder } from 'kysely';
import type * as z from 'zod';
import { defaultPageSizes, type Pagination } from '../../../contract/index.ts';
import type { HistoryQuery } from '../../engine/index.ts';
import type { DatabaseSchema, Db } from '../../store/index.ts';

/** The paging parameters of a list. */
export interface PageInput {
  readonly page?: number | undefined;
  readonly page_size?: number | null | undefined;
}

type PageOf<Row> = { results: Row[]; pagination?: z.infer<typeof Pagination> };

const requestedPage = ({ page, page_size: size }: PageInput): { page: number; size: number } | undefined =>
  page === undefined && (size === undefined || size === null)
    ? undefined
    : { page: page ?? 1, size: size ?? defaultPageSizes.rows };

const pagination = (page: number, size: number, total: number) => ({
  page,
  page_size: size,
  total_count: total,
  total_pages: Math.ceil(total / size),
});

/** A query for a list that can be paged. */
export interface ListQuery<Table extends keyof DatabaseSchema, Row> {
  readonly rows: SelectQueryBuilder<DatabaseSchema, Table, Row>;
  /** The total number of rows. */
  readonly total: () => Promise<number>;
}

/** The total number of rows in some owners' lists, without counting them. */
export async function totalOf(db: Db, table: keyof DatabaseSchema, owners: readonly string[]): Promise<number> {
  const found = await db
    .selectFrom('list_total')
    .select('total')
    .where('list', '=', table)
    .where('owner_id', 'in', owners)
    .execute();
  return found.reduce((sum, { total }) => sum + total, 0);
}

/** The requested page with its pagination or, without paging parameters, the whole list. */
export async function pageOf<Table extends keyof DatabaseSchema, Row, Shown>(
  { rows, total }: ListQuery<Table, Row>,
  input: PageInput,
  show: (rows: Row[]) => Promise<Shown[]> | Shown[],
): Promise<PageOf<Shown>> {
  const requested = requestedPage(input);
  if (!requested) return { results: await show(await rows.execute()) };
  const { page, size } = requested;
  const shown = await rows
    .limit(size)
    .offset((page - 1) * size)
    .execute();
  return { results: await show(shown), pagination: pagination(page, size, await total()) };
}

/** Like `pageOf`, for rows that are fetched by offset and limit. */
export async function pageOfFetched<Row>(
  input: PageInput,
  fetch: (slice?: { offset: number; limit: number }) => Promise<{ rows: Row[]; total: number }>,
): Promise<PageOf<Row>> {
  const requested = requestedPage(input);
  if (!requested) return { results: (await fetch()).rows };
  const { page, size } = requested;
  const { rows, total } = await fetch({ offset: (page - 1) * size, limit: size });
  return { results: rows, pagination: pagination(page, size, total) };
}

/** The requested page of a deployment history. */
export const historyPage = ({ page, page_size: size }: PageInput): HistoryQuery => ({
  page: page ?? 1,
  pageSize: size ?? defaultPageSizes.rows,
});
