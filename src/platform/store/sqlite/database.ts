import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import type { DatabaseSchema } from '../schema/schema.ts';
import type { DataStore, Db } from '../store.ts';
import { systemClock } from '../../common/index.ts';
import { createCallWindows } from '../call-windows.ts';
import { createWorkListeners } from '../work-listeners.ts';
import { readingConnection, writingConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { migrate } from './migrations/migrate.ts';
import { requireNotMoved } from './moved-records.ts';

/** Thrown if a transaction waits for something outside the database. */
export class AwaitedOutside extends Error {
  constructor() {
    super(
      'A transaction waited for something outside the database (a runtime, a request, a timer, a file), and all others waited for the transaction. '
      + 'It was undone. Read in one transaction, ask outside of any, and write what came of it in a second one that checks what it was decided on.',
    );
    this.name = 'AwaitedOutside';
  }
}

/**
 * Runs `operation` within one turn of the event loop. SQLite queries complete in the turn in which they are made, and hardly
 * anything else does: an operation that is still pending after the turn waits for something outside the database.
 * @throws AwaitedOutside at the end of the turn. The operation is then abandoned
 */
async function withinOneTick<Result>(operation: () => Promise<Result>): Promise<Result> {
  const turnOver = Promise.withResolvers<never>();
  const nextTurn = setImmediate(() => turnOver.reject(new AwaitedOutside()));
  try {
    return await Promise.race([operation(), turnOver.promise]);
  } finally {
    clearImmediate(nextTurn);
  }
}

/** The name of the database file in the data directory. */
export const databaseFile = 'platform.sqlite';

type Queries = Omit<Db, 'sql' | 'hold' | 'holdInOrder'>;

const withDialect = <Target extends Queries>(target: Target) => Object.assign(target, { sql: sqliteDialect, hold: async () => {}, holdInOrder: async () => {} });

const createStore = (writer: Kysely<DatabaseSchema>, reader: Kysely<DatabaseSchema>): DataStore => {
  const closeWriter = writer.destroy.bind(writer);
  const listeners = createWorkListeners();
  const write: DataStore['write'] = (operation) => writer.transaction().execute((trx) => withinOneTick(() => operation(withDialect(trx))));
  const own: Omit<DataStore, keyof Db> = {
    isShared: false,
    reader,
    read: (operation) => reader.transaction().setAccessMode('read only').execute((trx) => withinOneTick(() => operation(withDialect(trx)))),
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
    destroy: async () => {
      // The writer closes last: the last connection checkpoints the write-ahead log, which a read-only one can't do.
      await reader.destroy();
      await closeWriter();
    },
  };
  return Object.assign(withDialect(writer), own);
};

/**
 * Opens and migrates the database of a data directory. Creates both if missing.
 * @throws Error if the directory can't be written, or the database is damaged or from a newer version, or its records were moved elsewhere
 */
export async function openDatabase(dataDir: string): Promise<DataStore> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, databaseFile);
  requireNotMoved(path);
  const writer = new Kysely<DatabaseSchema>({ dialect: writingConnection(path) });
  chmodSync(path, 0o600);
  const store = createStore(writer, new Kysely<DatabaseSchema>({ dialect: readingConnection(path) }));
  try {
    await migrate(writer);
  } catch (error) {
    await store.destroy();
    throw error;
  }
  return store;
}
