import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

// oxlint-disable-next-line typescript/no-explicit-any -- a query over whichever tables.
type AnySelect = SelectQueryBuilder<any, any, any>;

/** The databases that records can be in. */
export type DatabaseKind = 'sqlite' | 'postgres';

/**
 * SQL for a member of a column of JSON text, as text. Indexes use the same expression.
 * @param path the names on the way to it, of letters and underscores only
 */
export const jsonMemberOf = (kind: DatabaseKind, column: string, path: readonly string[]): string =>
  kind === 'postgres'
    ? `json_member(${column}, '{${path.join(',')}}')`
    : `json_extract(${column}, '$.${path.join('.')}')`;

/**
 * The function with which PostgreSQL reads members of any JSON. PostgreSQL reads no text from JSON that contains U+0000
 * or half a surrogate pair, which requests may send, so the function removes them first. Escaped backslashes come in
 * pairs.
 */
export const jsonMemberFunction = String.raw`create function json_member(value json, path text[]) returns text language sql immutable strict
  as $$ select regexp_replace(value::text, '(\\\\)|\\u(?:0000|d[89a-f]..)', '\1', 'gi')::json #>> path $$`;

/** The SQL that differs between databases. Queries use these functions, and are otherwise the same on all of them. */
export interface Dialect {
  /**
   * A member of a column of JSON text, as text; null if it is missing.
   * @param path the names on the way to it, of letters and underscores only
   */
  readonly member: (column: string, path: readonly string[]) => RawBuilder<string | null>;
  /**
   * Whether a column has a text, ignoring the case of ASCII letters. The column has an index or a constraint that
   * ignores case.
   */
  readonly sameIgnoringCase: (column: string, text: string) => RawBuilder<boolean>;
  /**
   * Locks the rows that a query finds until the transaction ends, and skips rows that others have locked, so that two
   * workers never claim the same one. Does nothing where writes run one at a time.
   */
  readonly claimed: <Query extends AnySelect>(query: Query) => Query;
  /**
   * Locks the rows that a query finds until the transaction ends, after waiting for other locks. Reads them as they are
   * then.
   */
  readonly held: <Query extends AnySelect>(query: Query) => Query;
  /**
   * Keeps the rows that a query finds from being deleted until the transaction ends, after waiting for a deletion in
   * progress. Others can keep them at the same time.
   */
  readonly kept: <Query extends AnySelect>(query: Query) => Query;
}

/** The dialect of SQLite. It has one writer at a time, so there is nothing to lock. */
export const sqliteDialect: Dialect = {
  member: (column, path) => sql.raw(jsonMemberOf('sqlite', `"${column}"`, path)),
  // The columns are declared NOCASE.
  sameIgnoringCase: (column, text) => sql`${sql.ref(column)} = ${text}`,
  claimed: (query) => query,
  held: (query) => query,
  kept: (query) => query,
};

/** The dialect of PostgreSQL. */
export const postgresDialect: Dialect = {
  member: (column, path) => sql.raw(jsonMemberOf('postgres', `"${column}"`, path)),
  sameIgnoringCase: (column, text) => sql`lower(${sql.ref(column)}) = lower(${text}::text collate "C")`,
  claimed: (query) => query.forUpdate().skipLocked() as typeof query,
  held: (query) => query.forUpdate() as typeof query,
  kept: (query) => query.forKeyShare() as typeof query,
};

/** Runs queries on a database or in one of its transactions, with that database's dialect. */
export type Queries<Rows> = Omit<Kysely<Rows>, 'transaction' | 'startTransaction' | 'connection' | 'destroy'> & {
  readonly sql: Dialect;
};
