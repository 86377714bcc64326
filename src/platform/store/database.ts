import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { type Dialect, type Driver, Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import { migrate } from './migrations.ts';
import type { Database } from './schema.ts';

/** The store, or a transaction on it. */
export type Db = Kysely<Database>;

/** Name of the database file in the data directory. */
export const databaseFile = 'platform.sqlite';

// Others on the same file (token commands) write for milliseconds. SQLite's own waiting stops the whole process, and so
// would never end where the other connection is in this very process: it stays short, and transactions wait beside it.
const busyTimeoutMilliseconds = 200;
const longestWaitMilliseconds = 5000;
const betweenAttemptsMilliseconds = 10;

/** SQLITE_BUSY: another connection is writing. */
const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === 5;

// Lists of ids make statements of different lengths; beyond this many the oldest is prepared anew.
const keptStatements = 500;

const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];

const statement = (prepared: StatementSync): SqliteStatement => ({
  reader: prepared.columns().length > 0,
  all: (parameters) => prepared.all(...values(parameters)),
  run: (parameters) => prepared.run(...values(parameters)),
  iterate: (parameters) => prepared.iterate(...values(parameters)),
});

// A transaction that begins by reading and writes later fails at once when another process wrote in between,
// however long the busy timeout. Taking the write lock at the beginning waits instead.
const begin = (sql: string) => (sql === 'begin' ? 'begin immediate' : sql);

/** Presents node:sqlite the way kysely's dialect expects its driver; statements are prepared once. */
const adapter = (database: DatabaseSync): SqliteDatabase => {
  const prepared = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare: (sql) => {
      const known = prepared.get(sql) ?? statement(database.prepare(begin(sql)));
      prepared.delete(sql);
      prepared.set(sql, known);
      if (prepared.size > keptStatements) prepared.delete(prepared.keys().next().value!);
      return known;
    },
  };
};

/** kysely's driver, whose transactions begin when whoever else is writing has finished, or fail after some seconds. */
const driver = (sqlite: SqliteDialect): Driver => {
  const made = sqlite.createDriver();
  const beginAtOnce = made.beginTransaction.bind(made);
  made.beginTransaction = async (connection, settings) => {
    const until = performance.now() + longestWaitMilliseconds;
    for (;;) {
      try {
        return await beginAtOnce(connection, settings);
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) throw error;
        await setTimeout(betweenAttemptsMilliseconds);
      }
    }
  };
  return made;
};

/** kysely's dialect, told that SQLite undoes changes of the schema too: a migration happens whole or not at all. */
const dialect = (database: DatabaseSync): Dialect => {
  const sqlite = new SqliteDialect({ database: adapter(database) });
  const traits = Object.defineProperty(sqlite.createAdapter(), 'supportsTransactionalDdl', { value: true });
  return {
    createAdapter: () => traits,
    createDriver: () => driver(sqlite),
    createIntrospector: (db) => sqlite.createIntrospector(db),
    createQueryCompiler: () => sqlite.createQueryCompiler(),
  };
};

/**
 * Opens the database of a data directory, creating both where they don't exist, and migrates it.
 * Commits survive a power cut: write-ahead log, synchronous FULL.
 * @throws Error when the directory can't be written, or the database is damaged or of a newer program.
 */
export async function openDatabase(dataDir: string): Promise<Db> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, databaseFile);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMilliseconds, enableForeignKeyConstraints: true });
  chmodSync(path, 0o600);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  const db = new Kysely<Database>({ dialect: dialect(database) });
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}
