import { setTimeout } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { type PostgresAddress, shownAddress } from './address.ts';
import type { PostgresClient, PostgresPool } from './pool.ts';

/** Thrown if the connection broke while a transaction was committed: it may be committed, or not. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super(
      'The connection to the database broke while a change was committed. It may have been made, or not: look before you make it again.',
      { cause },
    );
    this.name = 'CommitUnknown';
  }
}

const codeOf = (error: unknown): string | undefined => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
};

/** An error that the database itself reports has a state of five characters. */
const isState = (code: string | undefined): code is string =>
  code !== undefined && /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);

// The server stops, or starts, or has ended this connection.
const connectionStates = /^(?:08|57P0[1235]|25P03)/;

/** Whether an error means that the connection is lost, or that there was none. */
export const isConnectionLost = (error: unknown): boolean => {
  const code = codeOf(error);
  if (isState(code)) return connectionStates.test(code);
  if (code !== undefined) return /^(?:ECONN|EPIPE|ETIMEDOUT|ENOENT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)/.test(code);
  return (
    error instanceof Error &&
    /Connection terminated|Query read timeout|timeout exceeded when trying to connect|not queryable|Client has encountered a connection error/.test(
      error.message,
    )
  );
};

// A limit in time was reached, or a limit of the server (connections, memory, disk), or it became one that only reads.
const busyStates = /^(?:57014|55P03|53|25006)/;

/**
 * Whether an error means that the server has no time or no room for a statement at the moment. What it was part of is
 * rolled back.
 */
export const isBusy = (error: unknown): boolean => {
  const code = codeOf(error);
  return isTransient(error) || (isState(code) && busyStates.test(code));
};

/**
 * Whether a prepared statement is of a time before its tables changed, as they do beside processes of an earlier
 * version. The connection can't run it any more; others can. It may be the cause of an error in other words.
 */
export const isOutdatedStatement = (error: unknown): boolean =>
  error instanceof Error &&
  ((codeOf(error) === '0A000' && error.message.includes('cached plan')) || isOutdatedStatement(error.cause));

const serializationFailure = '40001';
const deadlock = '40P01';

/** Whether a transaction that was rolled back may succeed if it is made again. */
export const isTransient = (error: unknown): boolean =>
  [serializationFailure, deadlock].includes(codeOf(error) ?? '') ||
  isConnectionLost(error) ||
  isOutdatedStatement(error);

/** An error in the words of who starts a program: where the database is, if it can't be reached. */
export const explained = (address: PostgresAddress, error: unknown): unknown =>
  isConnectionLost(error)
    ? new Error(
        `The database ${shownAddress(address)} can't be reached: ${error instanceof Error ? error.message : String(error)}. Check that it runs, and its address.`,
        { cause: error },
      )
    : error;

/**
 * What a transaction sees: each statement what is committed by then, or all of them the same state, without writing.
 */
export type TransactionMode = 'write' | 'read';

const beginning: Readonly<Record<TransactionMode, string>> = {
  write: 'begin isolation level read committed read write',
  read: 'begin isolation level repeatable read read only',
};

const maximumAttempts = 6;
/**
 * How long a transaction is made again after its first attempt began, in milliseconds: whoever waits for it gets an
 * answer in time.
 */
const retriedFor = 5000;
const firstPauseMilliseconds = 20;

const commit = async (client: PostgresClient, mode: TransactionMode): Promise<void> => {
  const ended = await client.query('commit').catch((error: unknown) => {
    throw mode === 'write' && isConnectionLost(error) ? new CommitUnknown(error) : error;
  });
  // A transaction in which a statement failed can't be committed, whatever was made of its error.
  if (ended.command === 'ROLLBACK')
    throw new Error('A change was undone, because one of its statements had failed before.');
};

const once = async <Result>(
  pool: PostgresPool,
  mode: TransactionMode,
  operation: (client: PostgresClient) => Promise<Result>,
): Promise<Result> => {
  const client = await pool.connect();
  let broken: Error | boolean = false;
  try {
    await client.query(beginning[mode]);
    const result = await operation(client);
    await commit(client, mode);
    return result;
  } catch (error) {
    // Nothing can be said on a connection that is lost, or that doesn't answer.
    broken =
      error instanceof CommitUnknown ||
      isConnectionLost(error) ||
      (await client.query('rollback').then(
        () => false,
        () => true,
      ));
    throw error;
  } finally {
    client.release(broken);
  }
};

/** Longer from attempt to attempt, and different for those that got in each other's way. */
const pauseAfter = (attempt: number): Promise<void> =>
  setTimeout(firstPauseMilliseconds * 2 ** attempt * (0.5 + Math.random()));

/**
 * Runs an operation in a transaction: committed when it returns, rolled back when it throws. Runs it again, a few
 * times, if it was rolled back because of another transaction or of a lost connection, for a few seconds.
 * @throws CommitUnknown if the connection broke during the commit of what may have written
 */
export async function transaction<Result>(
  pool: PostgresPool,
  mode: TransactionMode,
  operation: (client: PostgresClient) => Promise<Result>,
): Promise<Result> {
  const retriedUntil = performance.now() + retriedFor;
  for (let attempt = 0; ; attempt += 1) {
    try {
      // Each attempt follows the one before.
      return await once(pool, mode, operation);
    } catch (error) {
      if (
        error instanceof CommitUnknown ||
        !isTransient(error) ||
        attempt + 1 === maximumAttempts ||
        performance.now() > retriedUntil
      )
        throw error;
      await pauseAfter(attempt);
    }
  }
}

/**
 * Runs an operation while no other process does what has the same name. The lock belongs to a connection of its own, so
 * that it ends with the process, however that ends. Waits for it as long as it takes.
 * @throws what the operation throws; Error if the database can't be reached, or if the connection was lost meanwhile:
 *   another process may have begun then
 */
export async function withSessionLock<Result>(
  config: ClientConfig,
  name: string,
  operation: () => Promise<Result>,
): Promise<Result> {
  const client = new Client({ ...config, statement_timeout: 0, lock_timeout: 0, query_timeout: 0 });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
    const result = await operation();
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
    return result;
  } finally {
    await client.end().catch(() => {});
  }
}
