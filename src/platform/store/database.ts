import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { readingConnection, writingConnection } from './connection.ts';
import { migrate } from './migrations/migrate.ts';
import type { DatabaseSchema } from './schema/schema.ts';

/** Thrown where a transaction waited for something outside the database. */
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
 * Does `work` within one turn of the event loop. Queries of SQLite answer in the turn in which they are asked, and hardly
 * anything else does: what is still open when the turn is over waits for something outside the database.
 * @throws AwaitedOutside then, at once; nobody waits for `work` any longer
 */
async function withinOneTick<Result>(work: () => Promise<Result>): Promise<Result> {
  const over = Promise.withResolvers<never>();
  const nextTurn = setImmediate(() => over.reject(new AwaitedOutside()));
  try {
    return await Promise.race([work(), over.promise]);
  } finally {
    clearImmediate(nextTurn);
  }
}

/** Queries, on the store or in a transaction on it. Only the store begins transactions. */
export type Db = Omit<Kysely<DatabaseSchema>, 'transaction' | 'startTransaction' | 'connection' | 'destroy'>;

/** The database of a data directory. A query outside a transaction stands for itself. */
export interface DataStore extends Db {
  /** Single queries on the connection of `read`. */
  readonly reader: Pick<Db, 'selectFrom'>;
  /**
   * Queries that belong together: all of them see the same moment. They have a connection of their own, which can't write,
   * takes no lock, and waits for no one who writes.
   * @throws AwaitedOutside as `write` does
   */
  read<Result>(work: (trx: Db) => Promise<Result>): Promise<Result>;
  /**
   * Queries and changes that belong together, alone with the write lock: committed when `work` returns, undone when it throws.
   * @throws AwaitedOutside where `work` waits for anything but the database; it is undone then
   */
  write<Result>(work: (trx: Db) => Promise<Result>): Promise<Result>;
  /** Closes the database. */
  destroy(): Promise<void>;
}

/** Name of the database file in the data directory. */
export const databaseFile = 'platform.sqlite';

const createStore = (writer: Kysely<DatabaseSchema>, reader: Kysely<DatabaseSchema>): DataStore => {
  const closeWriter = writer.destroy.bind(writer);
  const own: Pick<DataStore, 'reader' | 'read' | 'write' | 'destroy'> = {
    reader,
    read: (work) => reader.transaction().setAccessMode('read only').execute((trx) => withinOneTick(() => work(trx))),
    write: (work) => writer.transaction().execute((trx) => withinOneTick(() => work(trx))),
    destroy: async () => {
      // The writer goes last: as the last connection it moves the write-ahead log into the file, which a reader can't.
      await reader.destroy();
      await closeWriter();
    },
  };
  return Object.assign(writer, own);
};

/**
 * Opens the database of a data directory, creating both where they don't exist, and migrates it.
 * @throws Error when the directory can't be written, or the database is damaged or of a newer program.
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
