import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { readingConnection, writingConnection } from './connection.ts';
import { migrate } from './migrations/migrate.ts';
import type { DatabaseSchema } from './schema/schema.ts';

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

/** Runs queries on the store or in one of its transactions. Only the store begins transactions. */
export type Db = Omit<Kysely<DatabaseSchema>, 'transaction' | 'startTransaction' | 'connection' | 'destroy'>;

/** The database of a data directory. */
export interface DataStore extends Db {
  /** Whether several processes may serve the same records at once. */
  readonly isShared: boolean;
  /** Runs single queries on the read-only connection. */
  readonly reader: Pick<Db, 'selectFrom'>;
  /**
   * Runs queries in a transaction on the read-only connection: all of them see the same state. Takes no lock and never
   * waits for writers.
   * @throws AwaitedOutside like `write`
   */
  read<Result>(operation: (trx: Db) => Promise<Result>): Promise<Result>;
  /**
   * Runs queries and changes in a transaction with the write lock: committed when `operation` returns, rolled back when it
   * throws.
   * @throws AwaitedOutside, after a rollback, if `operation` waits for anything but the database
   */
  write<Result>(operation: (trx: Db) => Promise<Result>): Promise<Result>;
  /** Closes the database. */
  destroy(): Promise<void>;
}

/** The name of the database file in the data directory. */
export const databaseFile = 'platform.sqlite';

const createStore = (writer: Kysely<DatabaseSchema>, reader: Kysely<DatabaseSchema>): DataStore => {
  const closeWriter = writer.destroy.bind(writer);
  const own: Pick<DataStore, 'isShared' | 'reader' | 'read' | 'write' | 'destroy'> = {
    isShared: false,
    reader,
    read: (operation) => reader.transaction().setAccessMode('read only').execute((trx) => withinOneTick(() => operation(trx))),
    write: (operation) => writer.transaction().execute((trx) => withinOneTick(() => operation(trx))),
    destroy: async () => {
      // The writer closes last: the last connection checkpoints the write-ahead log, which a read-only one can't do.
      await reader.destroy();
      await closeWriter();
    },
  };
  return Object.assign(writer, own);
};

/**
 * Opens and migrates the database of a data directory. Creates both if missing.
 * @throws Error if the directory can't be written, or the database is damaged or from a newer version
 */
export async function openDatabase(dataDir: string): Promise<DataStore> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, databaseFile);
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
