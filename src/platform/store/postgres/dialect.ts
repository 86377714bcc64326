import { sql } from 'kysely';
import type { Dialect } from '../store.ts';

/** What PostgreSQL says in words of its own. */
export const postgresDialect: Dialect = {
  // Indexes are found by the same expression.
  member: (column, path) => sql`${sql.ref(column)} #>> ${sql.lit(`{${path.join(',')}}`)}`,
  sameIgnoringCase: (column, text) => sql`lower(${sql.ref(column)}) = lower(${text}::text collate "C")`,
  claimed: (query) => query.forUpdate().skipLocked() as typeof query,
  held: (query) => query.forUpdate() as typeof query,
};
