import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { CompiledQuery, type DatabaseConnection, type Dialect, type Driver, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';

// SQLite's own waiting for a lock stops the whole process. It is allowed where nothing else is done meanwhile: at opening.
const openingMilliseconds = 200;
const longestWaitMilliseconds = 5000;
const betweenAttemptsMilliseconds = 2;

// Lists of ids make statements of different lengths; beyond this many the oldest is prepared anew.
const maximumCachedStatements = 500;

/** SQLITE_BUSY: another connection is writing. */
const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === 5;

const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];

const statement = (prepared: StatementSync): SqliteStatement => ({
  reader: prepared.columns().length > 0,
  all: (parameters) => prepared.all(...values(parameters)),
  run: (parameters) => prepared.run(...values(parameters)),
  iterate: (parameters) => prepared.iterate(...values(parameters)),
});

/** Presents node:sqlite the way kysely's dialect expects its driver; statements are prepared once. */
const adapter = (database: DatabaseSync): SqliteDatabase => {
  const prepared = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare: (sql) => {
      const known = prepared.get(sql) ?? statement(database.prepare(sql));
      prepared.delete(sql);
      prepared.set(sql, known);
      if (prepared.size > maximumCachedStatements) prepared.delete(prepared.keys().next().value!);
      return known;
    },
  };
};

/** A connection whose statements wait for another connection that writes, while this process goes on, or fail after some seconds. */
const withBusyRetry = (connection: DatabaseConnection): DatabaseConnection => ({
  streamQuery: (query, chunkSize, options) => connection.streamQuery(query, chunkSize, options),
  executeQuery: async (query, options) => {
    for (let until = 0; ;) {
      try {
        return await connection.executeQuery(query, options);
      } catch (error) {
        until ||= performance.now() + longestWaitMilliseconds;
        if (!isBusy(error) || performance.now() > until) throw error;
        await setTimeout(betweenAttemptsMilliseconds);
      }
    }
  },
});

// A transaction that begins by reading and writes later fails at once when another process wrote in between, however long
// it would wait. So one that may write takes the write lock when it begins; one that only reads never takes it.
const begin = { write: CompiledQuery.raw('begin immediate'), read: CompiledQuery.raw('begin') };

const driver = (sqlite: SqliteDialect): Driver => {
  const made = sqlite.createDriver();
  const acquire = made.acquireConnection.bind(made);
  made.acquireConnection = async (options) => withBusyRetry(await acquire(options));
  made.beginTransaction = async (connection, { accessMode }) => {
    await connection.executeQuery(accessMode === 'read only' ? begin.read : begin.write);
  };
  return made;
};

/** kysely's dialect, told that SQLite undoes changes of the schema too: a migration happens whole or not at all. */
const dialect = (database: SqliteDatabase | (() => Promise<SqliteDatabase>)): Dialect => {
  const sqlite = new SqliteDialect({ database });
  const traits = Object.defineProperty(sqlite.createAdapter(), 'supportsTransactionalDdl', { value: true });
  return {
    createAdapter: () => traits,
    createDriver: () => driver(sqlite),
    createIntrospector: (db) => sqlite.createIntrospector(db),
    createQueryCompiler: () => sqlite.createQueryCompiler(),
  };
};

/**
 * Opens a database file for reading and writing, creating it where it doesn't exist. Commits survive a power cut:
 * write-ahead log, synchronous FULL.
 */
export function writingConnection(path: string): Dialect {
  const database = new DatabaseSync(path, { timeout: openingMilliseconds, enableForeignKeyConstraints: true });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 0');
  return dialect(adapter(database));
}

/** Reads a database that a `writingConnection` has opened, once that is needed. It can't write, and waits for no one who does. */
export const readingConnection = (path: string): Dialect => dialect(async () => adapter(new DatabaseSync(path, { readOnly: true, timeout: openingMilliseconds })));
