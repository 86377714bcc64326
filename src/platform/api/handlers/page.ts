import type { SelectQueryBuilder } from 'kysely';
import type * as z from 'zod';
import type { Pagination } from '../../../contract/primitives.ts';
import { defaultHistoryPageSize } from '../../../contract/documented.ts';
import type { HistoryQuery } from '../../engine/engine.ts';
import type { Db } from '../../store/database.ts';
import type { DatabaseSchema } from '../../store/schema/schema.ts';

/** Page members as a list's query has them. */
export interface PageInput {
  readonly page?: number | undefined;
  readonly page_size?: number | null | undefined;
}

type PageOf<Row> = { results: Row[]; pagination?: z.infer<typeof Pagination> };

/** Rows of a page when only its number is given: as many as a history shows. */
const defaultPageSize = defaultHistoryPageSize;

const requestedPage = ({ page, page_size: size }: PageInput): { page: number; size: number } | undefined =>
  page === undefined && (size === undefined || size === null) ? undefined : { page: page ?? 1, size: size ?? defaultPageSize };

const pagination = (page: number, size: number, total: number) => ({
  page, page_size: size, total_count: total, total_pages: Math.ceil(total / size),
});

/** A list that pages are cut from. */
export interface ListQuery<Table extends keyof DatabaseSchema, Row> {
  readonly rows: SelectQueryBuilder<DatabaseSchema, Table, Row>;
  /** How many there are. */
  readonly total: () => Promise<number>;
}

/** How many rows of a table its owners have in their lists, without counting them. */
export async function totalOf(db: Db, table: keyof DatabaseSchema, owners: readonly string[]): Promise<number> {
  const found = await db.selectFrom('list_total').select('total').where('list', '=', table).where('owner_id', 'in', owners).execute();
  return found.reduce((sum, { total }) => sum + total, 0);
}

/** Everything without page members, one page and its pagination with them. */
export async function pageOf<Table extends keyof DatabaseSchema, Row, Shown>(
  { rows, total }: ListQuery<Table, Row>, input: PageInput, show: (rows: Row[]) => Promise<Shown[]> | Shown[],
): Promise<PageOf<Shown>> {
  const wanted = requestedPage(input);
  if (!wanted) return { results: await show(await rows.execute()) };
  const { page, size } = wanted;
  const shown = await rows.limit(size).offset((page - 1) * size).execute();
  return { results: await show(shown), pagination: pagination(page, size, await total()) };
}

/** The same over rows that are fetched by offset and limit. */
export async function pageOfFetched<Row>(
  input: PageInput, fetch: (part?: { offset: number; limit: number }) => Promise<{ rows: Row[]; total: number }>,
): Promise<PageOf<Row>> {
  const wanted = requestedPage(input);
  if (!wanted) return { results: (await fetch()).rows };
  const { page, size } = wanted;
  const { rows, total } = await fetch({ offset: (page - 1) * size, limit: size });
  return { results: rows, pagination: pagination(page, size, total) };
}

/** Which part of a deployment history is asked for. */
export const historyPage = ({ page, page_size: size }: PageInput): HistoryQuery => ({ page: page ?? 1, pageSize: size ?? defaultHistoryPageSize });
