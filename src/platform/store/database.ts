import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { readingConnection, writingConnection } from './connection.ts';
import { migrate } from './migrations.ts';
import type { Database } from './schema.ts';
import { inOneTurn } from './turn.ts';

/** Queries, on the store or in a transaction on it. Only the store begins transactions. */
export type Db = Omit<Kysely<Database>, 'transaction' | 'startTransaction' | 'connection' | 'destroy'>;

/** The database of a data directory. A query outside a transaction stands for itself. */
export interface Store extends Db {
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

const storeOf = (writer: Kysely<Database>, reader: Kysely<Database>): Store => {
  const closeWriter = writer.destroy.bind(writer);
  const own: Pick<Store, 'reader' | 'read' | 'write' | 'destroy'> = {
    reader,
    read: (work) => reader.transaction().setAccessMode('read only').execute((trx) => inOneTurn(() => work(trx))),
    write: (work) => writer.transaction().execute((trx) => inOneTurn(() => work(trx))),
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
export async function openDatabase(dataDir: string): Promise<Store> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, databaseFile);
  const writer = new Kysely<Database>({ dialect: writingConnection(path) });
  chmodSync(path, 0o600);
  const store = storeOf(writer, new Kysely<Database>({ dialect: readingConnection(path) }));
  try {
    await migrate(writer);
  } catch (error) {
    await store.destroy();
    throw error;
  }
  return store;
}
