import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

/** Who asked, in the record of a waiting call. It is kept there only, so that earlier programs can go on beside this one; theirs name the principal. */
export const identityInRecord = "coalesce(json_extract(record, '$.identity'), json_extract(record, '$.principal'))";

/** What the processes of one data directory have to agree on: approvals and how many grave calls were made. */
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
`;

// Directories of earlier programs have the table without it. The default has those programs go on beside this one.
const withSource = `ALTER TABLE wrong_secret ADD COLUMN source TEXT NOT NULL DEFAULT ''`;

/** Brings the tables up to date, with no other process in between. */
function prepare(database: DatabaseSync): void {
  database.exec('PRAGMA foreign_keys = ON');
  inOneTransaction(database, () => {
    database.exec(schema);
    const columns = database.prepare(`SELECT name FROM pragma_table_info('wrong_secret')`).all();
    if (!columns.some(({ name }) => name === 'source')) database.exec(withSource);
  });
}

/** Longest wait for another process that writes, in milliseconds. */
const patience = 5_000;

/** A database of mode 0600, opened when it is first asked for. */
export interface GuardStore {
  open(): Promise<DatabaseSync>;
  close(): void;
}

/** @param path of the file; made when it isn't there. */
export function storeAt(path: string): GuardStore {
  let database: DatabaseSync | undefined;
  return {
    open: async () => {
      if (database) return database;
      const { DatabaseSync: Database } = await import('node:sqlite');
      if (!database) {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        // SQLite would make it readable for everyone; its journals take the mode of the file.
        closeSync(openSync(path, 'a', 0o600));
        database = new Database(path, { timeout: patience });
        prepare(database);
      }
      return database;
    },
    close: () => {
      database?.close();
      database = undefined;
    },
  };
}

/** Runs changes together or not at all, with no other process in between. */
export function inOneTransaction<Value>(database: DatabaseSync, change: () => Value): Value {
  database.exec('BEGIN IMMEDIATE');
  try {
    const value = change();
    database.exec('COMMIT');
    return value;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
