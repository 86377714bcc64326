import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

/** SQL for who asked, from the record of a waiting call. There is no column for it, so that earlier versions can share the store; their records have the principal only. */
export const identityInRecord = "coalesce(json_extract(record, '$.identity'), json_extract(record, '$.principal'))";

/** State that the processes of a data directory share: approvals, and the count of high-risk calls. */
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

// Earlier versions created the table without this column. The default lets them share the store with this one.
const withSource = `ALTER TABLE wrong_secret ADD COLUMN source TEXT NOT NULL DEFAULT ''`;

/** Creates or migrates the tables in one transaction, so that no other process interferes. */
function prepare(database: DatabaseSync): void {
  database.exec('PRAGMA foreign_keys = ON');
  inOneTransaction(database, () => {
    database.exec(schema);
    const columns = database.prepare(`SELECT name FROM pragma_table_info('wrong_secret')`).all();
    if (!columns.some(({ name }) => name === 'source')) database.exec(withSource);
  });
}

/** Maximum wait for another process that writes, in milliseconds. */
const busyTimeout = 5_000;

/** A SQLite database with file mode 0600, opened at the first use. */
export interface GuardStore {
  open(): Promise<DatabaseSync>;
  close(): void;
}

/** A store in a file. @param path of the file, which is created if it doesn't exist. */
export function storeAt(path: string): GuardStore {
  let database: DatabaseSync | undefined;
  return {
    open: async () => {
      if (database) return database;
      const { DatabaseSync: Database } = await import('node:sqlite');
      if (!database) {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        // SQLite would create it readable for everyone; its journals take the mode of the file.
        closeSync(openSync(path, 'a', 0o600));
        database = new Database(path, { timeout: busyTimeout });
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

/** Runs changes in one exclusive transaction, which is rolled back on an error. */
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
