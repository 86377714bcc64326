import { type ClientConfig, Pool, type PoolClient, types } from 'pg';
import type { PostgresAddress } from './address.ts';

/** A connection on loan from a pool. */
export type PostgresClient = PoolClient;
export type PostgresPool = Pool;

/** Turns a value as the database writes it into one of a row. */
type ValueParser = (text: string) => unknown;

/** How connections are made and kept. */
export interface PoolOptions {
  /** What the database shows of who is connected. */
  readonly applicationName: string;
  /** How many connections this process has at most. */
  readonly maximumConnections: number;
  /**
   * Whether statements may take as long as they need, however many rows there are. They still don't wait long for
   * others.
   */
  readonly isPatient?: boolean;
}

/** After how long what is stuck is given up, in milliseconds. */
const limits = {
  connectionTimeoutMillis: 5000,
  statement_timeout: 30_000,
  // Longer than the server takes to give up: then the server, or the way to it, is gone without a word.
  query_timeout: 35_000,
  lock_timeout: 10_000,
  // Shorter than others wait for its locks: a process that is stopped within a transaction keeps them waiting, and
  // nobody fails.
  idle_in_transaction_session_timeout: 5000,
  idleTimeoutMillis: 30_000,
};

/** Limits that don't hold for who is patient. */
const patience = { statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 };

/** The numbers of types whose values rows have in a form of our own. */
export const typeNumbers = { boolean: 16, bigint: 20, json: 114, timestamptz: 1184, numeric: 1700 } as const;

/**
 * A text as the database can keep it: U+0000, the one character that it has not, becomes the one that stands for what
 * can't be shown.
 */
export const storableText = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text);

/** A time as the database writes it in UTC, such as 2026-01-05 08:00:00.5+00, as ISO 8601. */
const isoTime: ValueParser = (text) => new Date(text.replace(' ', 'T').replace(/\+00$/, 'Z')).toISOString();

/**
 * Rows have flags as 1 or 0, and JSON as the text that was stored: its order of members, and what its signature is of.
 */
const parsers: Readonly<Record<number, ValueParser>> = {
  [typeNumbers.boolean]: (text) => (text === 't' ? 1 : 0),
  [typeNumbers.json]: (text) => text,
  [typeNumbers.timestamptz]: isoTime,
  // Counts, and times in milliseconds, are far below 2^53.
  [typeNumbers.bigint]: Number,
  [typeNumbers.numeric]: Number,
};

/** The settings of one connection. */
export function clientConfig(address: PostgresAddress, { applicationName, isPatient }: PoolOptions): ClientConfig {
  const { host, port, database, user, password, tls } = address;
  const { idleTimeoutMillis: _, ...ofClient } = limits;
  return {
    ...ofClient,
    ...(isPatient && patience),
    host,
    port,
    database,
    user,
    ssl: tls ?? false,
    application_name: applicationName,
    keepAlive: true,
    // ISO times in UTC, whatever the server is set to.
    options: '-c timezone=UTC -c datestyle=ISO',
    ...(password && { password }),
    types: {
      getTypeParser: ((oid: number, format: 'text') =>
        parsers[oid] ?? types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  };
}

const ignore = (): void => {};

/** Opens a pool of connections. None is made before it is needed. */
export function openPool(address: PostgresAddress, options: PoolOptions): PostgresPool {
  const pool = new Pool({
    ...clientConfig(address, options),
    max: options.maximumConnections,
    idleTimeoutMillis: limits.idleTimeoutMillis,
  });
  // Who uses a connection that breaks has an error of its own. Without a listener, the event would end the process.
  pool.on('error', ignore);
  pool.on('connect', (client) => void client.on('error', ignore));
  return pool;
}
