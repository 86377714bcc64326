import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteStatement,
} from 'kysely';

import { openFile } from './open-file.ts';

// SQLite's own wait for a lock blocks the whole process, so it is used only while opening, when nothing else runs.
const openingMilliseconds = 200;
const longestWaitMilliseconds = 5000;
const betweenAttemptsMilliseconds = 2;

// Lists of ids create statements of many lengths. Beyond this number, the least recently used one is dropped.
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

/** Adapts node:sqlite to the driver that kysely's dialect expects. Caches prepared statements. */
const adapter = (database: DatabaseSync): SqliteDatabase => {
  const prepared = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare: (sql) => {
      const cached = prepared.get(sql) ?? statement(database.prepare(sql));
      prepared.delete(sql);
      prepared.set(sql, cached);
      if (prepared.size > maximumCachedStatements) prepared.delete(prepared.keys().next().value!);
      return cached;
    },
  };
};

/**
 * A connection that retries statements while another connection writes, without blocking the process. Fails after some
 * seconds.
 */
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

// A transaction that reads first and writes later fails at once if another process wrote in between; no retry helps. So
// a transaction that may write takes the write lock when it starts. One that only reads never takes it.
const begin = { write: CompiledQuery.raw('begin immediate'), read: CompiledQuery.raw('begin') };

const driver = (sqlite: SqliteDialect): Driver => {
  const sqliteDriver = sqlite.createDriver();
  const acquire = sqliteDriver.acquireConnection.bind(sqliteDriver);
  sqliteDriver.acquireConnection = async (options) => withBusyRetry(await acquire(options));
  sqliteDriver.beginTransaction = async (connection, { accessMode }) => {
    await connection.executeQuery(accessMode === 'read only' ? begin.read : begin.write);
  };
  return sqliteDriver;
};

const dialect = (database: SqliteDatabase | (() => Promise<SqliteDatabase>)): Dialect => {
  const sqlite = new SqliteDialect({ database });
  return {
    createAdapter: () => sqlite.createAdapter(),
    createDriver: () => driver(sqlite),
    createIntrospector: (db) => sqlite.createIntrospector(db),
    createQueryCompiler: () => sqlite.createQueryCompiler(),
  };
};

/**
 * How commits are written to a file: with a write-ahead log next to it, so that readers never wait, or with a rollback
 * journal that is deleted after each commit, so that the file alone is the database, even where processes share no
 * memory.
 */
export type Journal = 'write-ahead' | 'rollback';

/**
 * Opens a database file for reading and writing, and creates it if missing. Commits survive a power cut: synchronous
 * FULL.
 */
export function writingConnection(path: string, journal: Journal): Dialect {
  const database = openFile(path, { timeout: openingMilliseconds, enableForeignKeyConstraints: true }, (opened) =>
    opened.exec(
      `${journal === 'write-ahead' ? 'PRAGMA journal_mode = WAL; ' : ''}PRAGMA synchronous = FULL; PRAGMA busy_timeout = 0`,
    ),
  );
  return dialect(adapter(database));
}

/** Opens a database read-only, on first use, after `writingConnection` has opened it. Never waits for writers. */
export const readingConnection = (path: string): Dialect =>
  dialect(async () => adapter(openFile(path, { readOnly: true, timeout: openingMilliseconds })));
