import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openFile } from '../../../database/index.ts';
import type { ExportedRecords, ExportedTable } from '../exported-records.ts';
import { platformTables } from '../schema/schema.ts';
import type { DataStore } from '../store.ts';
import { copyDatabase } from './copy-database.ts';
import { databaseFile, openDatabase } from './database.ts';
import { clearMove } from './moved-records.ts';
import { requireIntact, stagingPrefix } from './replacement.ts';

type Row = Readonly<Record<string, string | number | null>>;

/** Workers stop before their records move. */
const movedTables = Object.keys(platformTables)
  .filter((name) => name !== 'worker')
  .toSorted();

const rowsIn = (database: DatabaseSync, table: string): Iterable<Row> =>
  database.prepare(`SELECT * FROM "${table}" ORDER BY rowid`).iterate() as Iterable<Row>;

const identityOf = (database: DatabaseSync): string => {
  const hash = createHash('sha256');
  for (const table of movedTables) {
    hash.update(`${table}\n`);
    for (const row of rowsIn(database, table)) hash.update(`${JSON.stringify(Object.values(row))}\n`);
  }
  return hash.digest('hex');
};

const exportedTable = (database: DatabaseSync, table: string): ExportedTable => {
  const columns = database
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name));
  const numbered = database.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table);
  return {
    table,
    columns,
    rows: () => rowsIn(database, table),
    ...(numbered && { lastNumber: Number(numbered['seq']) }),
  };
};

const withDatabase = <Result>(path: string, use: (database: DatabaseSync) => Result): Result => {
  const database = openFile(path);
  try {
    return use(database);
  } finally {
    database.close();
  }
};

const withRecords = async <Result>(directory: string, use: (db: DataStore) => Promise<Result>): Promise<Result> => {
  const db = await openDatabase(directory);
  try {
    return await use(db);
  } finally {
    await db.destroy();
  }
};

/**
 * Exports the records of a data directory that no process works on, in the schema of this version. Works on a copy next
 * to them, so that the directory stays unchanged. The exported records have no claims of workers.
 * @param change changes the copy further; its changes are not part of the identity
 * @throws Error if the records are damaged or their version is newer, or if `change` throws
 */
export async function exportRecords(
  dataDir: string,
  change: (db: DataStore) => Promise<void>,
): Promise<ExportedRecords> {
  const staging = await mkdtemp(join(dataDir, stagingPrefix));
  const copy = join(staging, databaseFile);
  const remove = () => rm(staging, { recursive: true, force: true });
  try {
    await copyDatabase(join(dataDir, databaseFile), copy);
    requireIntact(copy);
    withDatabase(copy, clearMove);
    const identity = await withRecords(staging, async (db) => {
      // Their claims end with them.
      await db.deleteFrom('worker').execute();
      const unchanged = withDatabase(copy, identityOf);
      await change(db);
      return unchanged;
    });
    const database = openFile(copy, { readOnly: true });
    return {
      identity,
      tables: movedTables.map((table) => exportedTable(database, table)),
      close: async () => {
        database.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
