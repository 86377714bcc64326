import { compiling, type Queries, type Reads as DatabaseReads } from '../../database/index.ts';
import type { PlatformClock } from '../common/index.ts';
import type { CallWindows } from './call-windows.ts';
import type { DatabaseSchema, SettingName } from './schema/schema.ts';

/** A name that a transaction locks until it ends. */
export interface NamedLock {
  readonly name: string;
  /** Whether other transactions may share the lock, for objects that a transaction relies on but doesn't change. */
  readonly isShared: boolean;
}

/** The methods that the store and its transactions have besides queries. */
interface DbExtras {
  /**
   * Waits until no other transaction has locked one of the names, and locks them until this one ends. Other
   * transactions that lock the id of a resource don't change what this one reads of it. Call it before reading. It does
   * nothing where writes run one at a time.
   */
  lock(...names: readonly string[]): Promise<void>;
  /**
   * The same for exclusive and shared locks, in the order given. Transactions with several locks must take them in one
   * order, and can't make a shared lock exclusive later: they could deadlock.
   */
  lockInOrder(locks: readonly NamedLock[]): Promise<void>;
}

/** Runs queries on the store or in one of its transactions. Only the store starts transactions. */
export type Db = Queries<DatabaseSchema> & DbExtras;

/** Runs queries that read the records. */
export type Reads = DatabaseReads<DatabaseSchema>;

/** Make queries that are built and compiled once, for what many requests ask, or what every step does (`compiling`). */
export const { compiled, compiledChange } = compiling<DatabaseSchema>();

/** The location of a platform's records and of the key of their secrets. */
export interface RecordsPlace {
  /** The directory of the database. */
  readonly dataDir: string;
  /** The directory of the key that seals secrets; default the data directory. */
  readonly keysDir?: string;
  /** Opens the records if they aren't in the directory's database. @throws Error if they can't be used */
  readonly openRecords?: () => Promise<DataStore>;
}

/** The records of a platform. */
export interface DataStore extends Db {
  /** Whether several processes may serve the same records at once. */
  readonly isShared: boolean;
  /** Runs single queries that only read. */
  readonly reader: Reads;
  /**
   * Runs queries in a transaction that can't write: all of them see the same state. Never waits for writers.
   * @throws AwaitedOutside like `write`
   */
  read<Result>(operation: (trx: Db) => Promise<Result>): Promise<Result>;
  /**
   * Runs queries and changes in a transaction: committed when `operation` returns, rolled back when it throws. It may
   * run more than once, so it must change nothing but records.
   * @throws AwaitedOutside, after a rollback, if `operation` waits for anything but the database
   */
  write<Result>(operation: (trx: Db) => Promise<Result>): Promise<Result>;
  /** Like `write`, but leaves no replaced values in the database's files, where the database supports that. */
  overwrite(operation: (trx: Db) => Promise<void>): Promise<void>;
  /**
   * Runs an operation while no other process on these records runs one of the same name. It may take as long as it
   * needs, and use its own transactions. Doesn't wait where only one process serves the records.
   * @throws what the operation throws, and Error if the lock was lost
   */
  alone<Result>(name: string, operation: () => Promise<Result>): Promise<Result>;
  /**
   * Notifies the engines of all processes on these records of work. Never throws. A process that misses it finds the
   * work later.
   */
  announceWork(): void;
  /** Calls a listener when work is announced. @returns a function that removes the listener */
  onWork(listener: () => void): () => void;
  /**
   * Notifies all processes on these records of a changed setting. Never throws. A process that can't be reached now is
   * notified later that settings may have changed.
   */
  announceSetting(name: SettingName): void;
  /** Calls a listener when another process has or may have changed a setting. @returns a function that removes it */
  onSetting(name: SettingName, listener: () => void): () => void;
  /** The clock for all times in these records. All processes on them agree on it. */
  readonly clock: PlatformClock;
  /** The calls of each caller, counted over all processes on these records. */
  readonly callWindows: CallWindows;
  /**
   * Resolves, with the reason, once this process can't use the records any more because a newer program has changed
   * them.
   */
  readonly unusable: Promise<Error>;
  /** Closes the store. */
  destroy(): Promise<void>;
}

/**
 * The number of rows or ids in one statement. Databases limit its parameters: SQLite to 32,766, PostgreSQL to 65,535.
 */
const batch = 1000;

/** Splits rows or ids into batches that fit into one statement each. */
export const inBatches = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / batch) }, (_, index) =>
    items.slice(index * batch, (index + 1) * batch),
  );

/** The ids in a platform's records by which its objects on an engine are recognized. */
export interface KnownRecords {
  readonly serviceIds: ReadonlySet<string>;
  readonly environmentIds: ReadonlySet<string>;
  /** The id that the platform puts in labels. */
  readonly platformId: string;
}

/**
 * Thrown if the records can't be used at the moment. The message is for callers: it names neither the database nor its
 * address.
 */
export class RecordsUnavailable extends Error {
  /** Whether the change may have been written. Otherwise nothing was written. */
  readonly mayBeWritten: boolean;

  constructor(message: string, cause: unknown, mayBeWritten = false) {
    super(message, { cause });
    this.name = 'RecordsUnavailable';
    this.mayBeWritten = mayBeWritten;
  }
}
