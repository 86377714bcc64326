import type { DatabaseSync } from 'node:sqlite';

/** SQL for who asked, from the record of a waiting call. There is no column for it, so that earlier versions can share the store; their records have the principal only. */
export const identityInRecord = "coalesce(json_extract(record, '$.identity'), json_extract(record, '$.principal'))";

const schema = `
  CREATE TABLE IF NOT EXISTS pending (
    code TEXT PRIMARY KEY,
    call TEXT NOT NULL,
    record TEXT NOT NULL,
    seal TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS pending_call ON pending (call);
  CREATE INDEX IF NOT EXISTS pending_identity ON pending (${identityInRecord});
  CREATE TABLE IF NOT EXISTS decision (
    code TEXT PRIMARY KEY REFERENCES pending ON DELETE CASCADE,
    verdict TEXT NOT NULL,
    signature TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS wrong_secret (at INTEGER NOT NULL, source TEXT NOT NULL DEFAULT '') STRICT;
  CREATE TABLE IF NOT EXISTS grave_call (at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS latest_time (at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS single_use (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0) STRICT;
  CREATE TABLE IF NOT EXISTS chain_anchor (chain TEXT PRIMARY KEY, entries INTEGER NOT NULL, sealed TEXT NOT NULL) STRICT;
`;

// Earlier versions created the table without this column. The default lets them share the store with this one.
const withSource = `ALTER TABLE wrong_secret ADD COLUMN source TEXT NOT NULL DEFAULT ''`;

/** Creates the tables, or migrates those of an earlier version. Runs within the caller's transaction. */
export function prepareTables(database: DatabaseSync): void {
  database.exec(schema);
  const columns = database.prepare(`SELECT name FROM pragma_table_info('wrong_secret')`).all();
  if (!columns.some(({ name }) => name === 'source')) database.exec(withSource);
}
