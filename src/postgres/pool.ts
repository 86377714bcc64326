import { type ClientConfig, Pool, type PoolClient, types } from 'pg';
import type { PostgresAddress } from './address.ts';

/** A connection on loan from a pool. */
export type PostgresClient = PoolClient;
export type PostgresPool = Pool;

/** Converts a value from the database's text form to that of a row. */
type ValueParser = (text: string) => unknown;

/** The options of a pool's connections. */
export interface PoolOptions {
  /** The name of this client that the database shows. */
  readonly applicationName: string;
  /** The maximum number of connections of this process. */
  readonly maximumConnections: number;
  /**
   * Whether statements may take as long as they need, for any number of rows. They still have a limit on waiting for
   * locks.
   */
  readonly isPatient?: boolean;
}

/** The timeouts for stuck operations, in milliseconds. */
const limits = {
  connectionTimeoutMillis: 5000,
  statement_timeout: 30_000,
  // Longer than the server's own timeout. If it expires, the server or the network is silently gone.
  query_timeout: 35_000,
  lock_timeout: 10_000,
  // Shorter than the lock timeout of others: while a process is suspended within a transaction, the others wait but
  // don't fail.
  idle_in_transaction_session_timeout: 5000,
  idleTimeoutMillis: 30_000,
};

/** The timeouts that `isPatient` disables. */
const patience = { statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 };

/** The OIDs of types whose values are converted for rows. */
export const typeNumbers = { boolean: 16, bigint: 20, json: 114, timestamptz: 1184, numeric: 1700 } as const;

/**
 * A text that the database can store: U+0000, the only character that it can't, becomes U+FFFD, the replacement
 * character.
 */
export const storableText = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text);

/** Converts a time in the database's UTC format, such as 2026-01-05 08:00:00.5+00, to ISO 8601. */
const isoTime: ValueParser = (text) => new Date(text.replace(' ', 'T').replace(/\+00$/, 'Z')).toISOString();

/**
 * Rows have flags as 1 or 0, and JSON as the stored text, because its order of members and its signature depend on the
 * text.
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
    // Statements of a connection are sent without waiting for the answers to those before.
    pipeline: true,
    // ISO times in UTC, whatever the server's settings.
    options: '-c timezone=UTC -c datestyle=ISO',
    ...(password && { password }),
    types: {
      getTypeParser: ((oid: number, format: 'text') =>
        parsers[oid] ?? types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  };
}

const ignore = (): void => {};

/** Opens a pool of connections. It connects only when needed. */
export function openPool(address: PostgresAddress, options: PoolOptions): PostgresPool {
  const pool = new Pool({
    ...clientConfig(address, options),
    max: options.maximumConnections,
    idleTimeoutMillis: limits.idleTimeoutMillis,
  });
  // The user of a broken connection gets an error itself. Without a listener, the event would crash the process.
  pool.on('error', ignore);
  pool.on('connect', (client) => void client.on('error', ignore));
  return pool;
}
