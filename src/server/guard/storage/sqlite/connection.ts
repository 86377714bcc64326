import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { prepareTables } from './tables.ts';

/** Maximum wait for another process that writes, in milliseconds. */
const busyTimeout = 5_000;

/** The database file of a store, with mode 0600. It is opened, and created if missing, at the first use. */
export interface SqliteConnection {
  /** Runs a query or a single change. */
  readonly run: <Value>(query: (database: DatabaseSync) => Value) => Promise<Value>;
  /** Runs changes in one exclusive transaction, which is rolled back on an error. */
  readonly transact: <Value>(change: (database: DatabaseSync) => Value) => Promise<Value>;
  readonly close: () => void;
}

function inOneTransaction<Value>(database: DatabaseSync, change: (database: DatabaseSync) => Value): Value {
  database.exec('BEGIN IMMEDIATE');
  try {
    const value = change(database);
    database.exec('COMMIT');
    return value;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

export function sqliteConnection(path: string): SqliteConnection {
  let database: DatabaseSync | undefined;
  const open = async (): Promise<DatabaseSync> => {
    if (database) return database;
    const { DatabaseSync: Database } = await import('node:sqlite');
    if (!database) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // SQLite would create it readable for everyone; its journals take the mode of the file.
      closeSync(openSync(path, 'a', 0o600));
      database = new Database(path, { timeout: busyTimeout });
      database.exec('PRAGMA foreign_keys = ON');
      // In one transaction, so that no other process interferes.
      inOneTransaction(database, prepareTables);
    }
    return database;
  };
  return {
    run: async (query) => query(await open()),
    transact: async (change) => inOneTransaction(await open(), change),
    close: () => {
      database?.close();
      database = undefined;
    },
  };
}
