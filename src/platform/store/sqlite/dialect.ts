import { sql } from 'kysely';
import type { Dialect } from '../store.ts';

/** What SQLite says in words of its own. It has one writer at a time, so there is nothing to lock. */
export const sqliteDialect: Dialect = {
  member: (column, path) => sql`json_extract(${sql.ref(column)}, ${sql.lit(`$.${path.join('.')}`)})`,
  // The columns are declared NOCASE.
  sameIgnoringCase: (column, text) => sql`${sql.ref(column)} = ${text}`,
  claimed: (query) => query,
  held: (query) => query,
};
