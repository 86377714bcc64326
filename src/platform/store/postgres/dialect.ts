import { sql } from 'kysely';
import type { Dialect } from '../store.ts';
import { jsonMemberOf } from './json-members.ts';

/** What PostgreSQL says in words of its own. */
export const postgresDialect: Dialect = {
  member: (column, path) => sql.raw(jsonMemberOf(`"${column}"`, path)),
  sameIgnoringCase: (column, text) => sql`lower(${sql.ref(column)}) = lower(${text}::text collate "C")`,
  claimed: (query) => query.forUpdate().skipLocked() as typeof query,
  held: (query) => query.forUpdate() as typeof query,
};
