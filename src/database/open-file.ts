import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';
import { sqliteReason } from '../files/index.ts';

/** A file of a database that can't be opened. It has the codes of SQLite's own error. */
export class UnusableDatabase extends Error {
  readonly code: string | undefined;
  readonly errcode: number | undefined;
  constructor(path: string, cause: unknown) {
    super(`The database ${path} can't be opened: ${sqliteReason(cause) ?? (cause as Error).message}.`, { cause });
    ({ code: this.code, errcode: this.errcode } = cause as { code?: string; errcode?: number });
  }
}

/**
 * Opens a file of SQLite.
 * @param prepare what is set before it is used. It reads the file first.
 * @throws UnusableDatabase that names the file and the reason
 */
export function openFile(
  path: string,
  options: DatabaseSyncOptions = {},
  prepare?: (database: DatabaseSync) => void,
): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, options);
    prepare?.(database);
    return database;
  } catch (error) {
    database?.close();
    throw new UnusableDatabase(path, error);
  }
}
