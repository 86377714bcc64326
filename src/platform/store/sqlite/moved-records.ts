import { isThere } from '../../../files/index.ts';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openFile } from '../../../database/index.ts';
import { migrationTable } from './earlier-directory.ts';

/**
 * The table with the new location of a file's records. Also the name of the migration that makes earlier versions
 * refuse the file.
 */
const moveMark = 'moved_to_database';

/** The new location of a data directory's records. */
export interface RecordsMove {
  /** The address of the database, without password. */
  readonly to: string;
  /** ISO 8601. */
  readonly at: string;
}

/** The new location of the records in an open file; undefined if they are still there. */
export const moveOf = (database: DatabaseSync): RecordsMove | undefined => {
  const isMarked = database.prepare(`SELECT name FROM sqlite_schema WHERE name = '${moveMark}'`).get();
  return (
    isMarked &&
    (database.prepare(`SELECT address AS "to", moved_at AS at FROM ${moveMark}`).get() as unknown as
      | RecordsMove
      | undefined)
  );
};

/** Removes the mark from an open file. */
export const clearMove = (database: DatabaseSync): void => {
  if (moveOf(database))
    database.exec(
      `BEGIN IMMEDIATE; DROP TABLE ${moveMark}; DELETE FROM ${migrationTable} WHERE name = '${moveMark}'; COMMIT`,
    );
};

const inFile = <Result>(path: string, use: (database: DatabaseSync) => Result): Result | undefined => {
  if (!isThere(path)) return undefined;
  const database = openFile(path, { timeout: 1000 });
  try {
    return use(database);
  } finally {
    database.close();
  }
};

/**
 * The new location of the records in a file; undefined if they are still there, or there is no such file.
 * @throws Error if it can't be read
 */
export const readMove = (path: string): RecordsMove | undefined => inFile(path, moveOf);

/** Whether a file has records that weren't moved to a database. @throws Error if it can't be read */
export const hasUnmovedRecords = (path: string): boolean => isThere(path) && readMove(path) === undefined;

/** Marks the records in a file as moved. No version serves them from there any more. */
export const markMoved = (path: string, { to, at }: RecordsMove): void =>
  inFile(path, (database) => {
    database.exec(
      `PRAGMA synchronous = FULL; BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS ${moveMark} (address TEXT NOT NULL, moved_at TEXT NOT NULL) STRICT; DELETE FROM ${moveMark}`,
    );
    database.prepare(`INSERT INTO ${moveMark} VALUES (?, ?)`).run(to, at);
    database.prepare(`INSERT OR REPLACE INTO ${migrationTable} (name, timestamp) VALUES (?, ?)`).run(moveMark, at);
    database.exec('COMMIT');
  });

/** Removes the mark, if nothing was moved. */
export const unmarkMoved = (path: string): void => inFile(path, clearMove);

/** Requires that the records in a file, if there is one, are still there. @throws Error with their new location */
export function requireNotMoved(path: string): void {
  const move = readMove(path);
  if (move === undefined) return;
  throw new Error(
    `The records of ${dirname(path)} were moved to the database ${move.to} on ${move.at}, and what is here is no longer kept up to date. Set INFRA_DATABASE_URL to the address of that database. ` +
      'To go back to this directory, without everything that changed since, restore a backup from before the move.',
  );
}
