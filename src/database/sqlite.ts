import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../files/index.ts';
import { Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { type Queries, sqliteDialect } from './dialect.ts';
import { joinedWrites } from './joined-writes.ts';
import { type Run, type Schema, takeMissingSteps } from './migrate.ts';
import { type Journal, readingConnection, writingConnection } from './sqlite-connection.ts';
import type { RowsOf, Tables } from './tables.ts';

/** Thrown if a transaction waits for something outside the database. */
export class AwaitedOutside extends Error {
  constructor() {
    super(
      'A transaction waited for something outside the database (a runtime, a request, a timer, a file), and all others waited for the transaction. ' +
        'It was rolled back. Read in one transaction, wait outside any, and write the result in a second one that checks what the first one read.',
    );
    this.name = 'AwaitedOutside';
  }
}

/**
 * Runs `operation` within one turn of the event loop. SQLite queries complete in the turn in which they start, and
 * hardly anything else does. An operation that is still pending after the turn waits for something outside the
 * database.
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

/** A database in a file. */
export interface SqliteFile<Rows> {
  /** Runs single queries and changes. */
  readonly writer: Kysely<Rows> & { readonly sql: typeof sqliteDialect };
  /** Runs single queries that only read. */
  readonly reader: Kysely<Rows> & { readonly sql: typeof sqliteDialect };
  /**
   * Runs queries in a transaction that can't write: all of them see the same state.
   * @throws AwaitedOutside like `write`
   */
  readonly read: <Result>(operation: (trx: Queries<Rows>) => Promise<Result>) => Promise<Result>;
  /**
   * Runs queries and changes in a transaction, which is the only one that writes: committed when `operation` returns,
   * rolled back when it throws. It may run more than once (`joinedWrites`).
   * @throws AwaitedOutside, after a rollback, if `operation` waits for anything but the database
   */
  readonly write: <Result>(operation: (trx: Queries<Rows>) => Promise<Result>) => Promise<Result>;
  readonly close: () => Promise<void>;
}

const withDialect = <Rows>(queries: Kysely<Rows>) => Object.assign(queries, { sql: sqliteDialect });

/** Runs statements on a database or in a transaction. */
export const runOn =
  (queries: QueryExecutorProvider): Run =>
  async (statement) =>
    (await sql.raw<Record<string, unknown>>(statement).execute(queries)).rows;

const openFile = <Rows>(path: string, journal: Journal): SqliteFile<Rows> => {
  makeFolder(dirname(path));
  // SQLite would create it readable for everyone. Its journals inherit the mode of the file.
  closeSync(openSync(path, 'a', 0o600));
  const writer = withDialect(new Kysely<Rows>({ dialect: writingConnection(path, journal) }));
  // Without a write-ahead log, a read-only connection can't roll back the journal of a killed process.
  const reader =
    journal === 'write-ahead' ? withDialect(new Kysely<Rows>({ dialect: readingConnection(path) })) : writer;
  const closeWriter = writer.destroy.bind(writer);
  const write = joinedWrites<Rows>(writer);
  return {
    writer,
    reader,
    read: (operation) =>
      reader
        .transaction()
        .setAccessMode('read only')
        .execute((trx) => withinOneTick(() => operation(withDialect(trx)))),
    write: (operation) => write((queries) => withinOneTick(() => operation(withDialect(queries)))),
    close: async () => {
      // The writer closes last: the last connection checkpoints the write-ahead log, which a read-only one can't do.
      if (reader !== writer) await reader.destroy();
      await closeWriter();
    },
  };
};

/**
 * Runs an operation in a transaction that may rebuild referenced tables, which is impossible while foreign keys are
 * enforced.
 */
async function withoutReferences(
  writer: Kysely<never>,
  operation: (run: Run) => Promise<'commit' | 'rollback'>,
): Promise<void> {
  // This setting can't change within a transaction.
  await sql`PRAGMA foreign_keys = OFF`.execute(writer);
  const trx = await writer.startTransaction().execute();
  let ending: 'commit' | 'rollback' = 'rollback';
  try {
    ending = await operation(runOn(trx));
  } finally {
    await trx[ending]().execute();
    await sql`PRAGMA foreign_keys = ON`.execute(writer);
  }
}

/**
 * Opens a file, creates it if missing, and migrates its schema to this program's version, in one transaction.
 * @throws IncompatibleSchema if its version is newer and this program can't work on it; Error if it isn't a database or
 * can't be written
 */
export async function openSqlite<Of extends Tables>(
  path: string,
  schema: Schema<Of>,
  journal: Journal,
): Promise<SqliteFile<RowsOf<Of>>> {
  const file = openFile<RowsOf<Of>>(path, journal);
  try {
    await withoutReferences(file.writer as unknown as Kysely<never>, async (run) => {
      await takeMissingSteps(schema, 'sqlite', run);
      return 'commit';
    });
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

/** Reads a file as if migrated to this program's schema, and leaves it unchanged. @throws like `openSqlite` */
export async function readAsMigrated<Result>(
  path: string,
  schema: Schema,
  journal: Journal,
  read: (run: Run) => Promise<Result>,
): Promise<Result> {
  const file = openFile<never>(path, journal);
  try {
    let result: Result;
    await withoutReferences(file.writer, async (run) => {
      await takeMissingSteps(schema, 'sqlite', run);
      result = await read(run);
      return 'rollback';
    });
    return result!;
  } finally {
    await file.close();
  }
}
