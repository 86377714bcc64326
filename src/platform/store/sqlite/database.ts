import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openSqlite, type SqliteFile } from '../../../database/index.ts';
import type { DatabaseSchema } from '../schema/schema.ts';
import type { DataStore, Db } from '../store.ts';
import { systemClock } from '../../common/index.ts';
import { createCallWindows } from '../call-windows.ts';
import { platformSchema } from '../platform-schema.ts';
import { createWorkListeners } from '../work-listeners.ts';
import { requireNotMoved } from './moved-records.ts';

/** The name of the database file in the data directory. */
export const databaseFile = 'platform.sqlite';

const withLocks = <Target extends object>(target: Target) =>
  Object.assign(target, { lock: async () => {}, lockInOrder: async () => {} });

const createStore = ({ writer, reader, read, write: writeTo, close }: SqliteFile<DatabaseSchema>): DataStore => {
  const listeners = createWorkListeners();
  const write: DataStore['write'] = (operation) => writeTo((trx) => operation(withLocks(trx)));
  const own: Omit<DataStore, keyof Db> = {
    isShared: false,
    reader,
    read: (operation) => read((trx) => operation(withLocks(trx))),
    write,
    overwrite: async (operation) => {
      await sql`PRAGMA secure_delete = ON`.execute(writer);
      await write(operation);
      await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(writer);
      await sql`PRAGMA secure_delete = OFF`.execute(writer);
    },
    clock: systemClock,
    callWindows: createCallWindows(),
    alone: (_name, operation) => operation(),
    announceWork: listeners.call,
    onWork: listeners.onWork,
    // There is no other process.
    announceSetting: () => {},
    onSetting: () => () => {},
    // A newer program can't open a directory that another one serves.
    unusable: new Promise(() => {}),
    destroy: close,
  };
  return Object.assign(withLocks(writer), own);
};

/**
 * Opens and migrates the database of a data directory. Creates both if missing.
 * @throws Error if the directory can't be written, or the database is damaged or from a newer version, or its records
 *   were moved elsewhere
 */
export async function openDatabase(dataDir: string): Promise<DataStore> {
  const path = join(dataDir, databaseFile);
  requireNotMoved(path);
  const file = await openSqlite(path, platformSchema, 'write-ahead');
  chmodSync(path, 0o600);
  return createStore(file);
}
