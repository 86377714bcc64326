import type { RawBuilder } from 'kysely';
import { IncompatibleSchema, openSqlite, requireCompatibleSchema, runOn } from '../../../database/index.ts';
import { StoreUnavailable } from '../../failure/index.ts';
import { storedTime } from './clock.ts';
import { guardSchema, type Decided, type GuardQueries } from './tables.ts';

/** A transaction in the database of a store, with its time. */
interface GuardTransaction {
  readonly queries: GuardQueries;
  /** Waits for the lock on a kind of decision. */
  readonly lock: (decided: Decided) => Promise<unknown>;
  /** Implements `GuardStore.time` within the transaction. */
  readonly time: (clock: number) => Promise<number>;
}

/** The database of a store, created or migrated on first use. */
export interface GuardDatabase {
  /** Runs a query that only reads. */
  readonly read: <Value>(query: (queries: GuardQueries) => Promise<Value>) => Promise<Value>;
  /** Runs changes in one transaction, which is rolled back on an error. */
  readonly write: <Value>(change: (own: GuardTransaction) => Promise<Value>) => Promise<Value>;
  readonly close: () => Promise<void>;
}

/** A database with the schema of this program, or of a newer one with which this one is compatible. */
export interface OpenDatabase {
  readonly read: <Value>(query: (queries: GuardQueries) => Promise<Value>) => Promise<Value>;
  readonly write: <Value>(change: (queries: GuardQueries) => Promise<Value>) => Promise<Value>;
  readonly close: () => Promise<void>;
}

interface GuardDatabaseOptions {
  /** The time of the database, if it replaces that of the callers. */
  readonly databaseTime?: RawBuilder<string> | undefined;
  /** Whether servers share it over a network, so that any failure is one of the store. */
  readonly isShared: boolean;
}

/** Requires that no newer version has migrated the tables to an incompatible schema since. */
const checked =
  <Value>(operation: (queries: GuardQueries) => Promise<Value>) =>
  async (queries: GuardQueries): Promise<Value> => {
    await requireCompatibleSchema(guardSchema, runOn(queries));
    return operation(queries);
  };

/**
 * The database of a store, opened on first use. A failure to open it is not remembered, so that the next use tries
 * again. Once it is closed, it isn't opened again: its file may be gone by then. `unusable` resolves with the reason once
 * a newer server has changed the tables to an incompatible schema.
 */
export function guardDatabase(
  open: () => Promise<OpenDatabase>,
  { databaseTime, isShared }: GuardDatabaseOptions,
): GuardDatabase & { readonly unusable: Promise<Error> } {
  const unusable = Promise.withResolvers<Error>();
  let opening: Promise<OpenDatabase> | undefined;
  let isClosed = false;
  const opened = async (): Promise<OpenDatabase> => {
    if (isClosed) throw new Error('This process has closed its store.');
    return (opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));
  };
  const told = async <Value>(operation: () => Promise<Value>): Promise<Value> => {
    try {
      return await operation();
    } catch (error) {
      if (error instanceof IncompatibleSchema) unusable.resolve(error);
      throw isShared || error instanceof IncompatibleSchema ? new StoreUnavailable(error) : error;
    }
  };
  return {
    read: (query) => told(async () => (await opened()).read(checked(query))),
    write: (change) =>
      told(async () =>
        (await opened()).write(
          checked((queries) =>
            change({
              queries,
              lock: (decided) =>
                queries.sql.held(queries.selectFrom('guard_lock').select('name').where('name', '=', decided)).execute(),
              time: (clock) => storedTime(queries, clock, databaseTime),
            }),
          ),
        ),
      ),
    unusable: unusable.promise,
    close: async () => {
      const closing = opening;
      [opening, isClosed] = [undefined, true];
      await (await closing)?.close();
    },
  };
}

/** The database in a file. It has no write-ahead log, because home directories may be on a network. */
export const fileDatabase = (path: string): GuardDatabase =>
  guardDatabase(
    async () => {
      const file = await openSqlite(path, guardSchema, 'rollback');
      return { read: (query) => query(file.writer), write: (change) => file.write(change), close: () => file.close() };
    },
    { isShared: false },
  );
