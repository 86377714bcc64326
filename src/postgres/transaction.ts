import { setTimeout } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { type PostgresAddress, shownAddress } from './address.ts';
import type { PostgresClient, PostgresPool } from './pool.ts';

/** Thrown if the connection broke during a commit. The transaction may or may not be committed. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super(
      'The connection to the database broke while a change was committed. It may or may not have been made: check before you repeat it.',
      { cause },
    );
    this.name = 'CommitUnknown';
  }
}

const codeOf = (error: unknown): string | undefined => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
};

/** Whether a code is an SQLSTATE of five characters, which the database itself reports. */
const isState = (code: string | undefined): code is string =>
  code !== undefined && /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);

// The server stops, or starts, or has closed this connection.
const connectionStates = /^(?:08|57P0[1235]|25P03)/;

/** Whether an error means that the connection was lost or could not be opened. */
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

// A timeout was reached, or a limit of the server (connections, memory, disk), or the server became read-only.
const busyStates = /^(?:57014|55P03|53|25006)/;

/**
 * Whether an error means that the server is temporarily too busy or out of resources for a statement. Its transaction
 * is rolled back.
 */
export const isBusy = (error: unknown): boolean => {
  const code = codeOf(error);
  return isTransient(error) || (isState(code) && busyStates.test(code));
};

/**
 * Whether a prepared statement is older than a change of its tables, as happens when a newer process migrates them.
 * This connection can't run it any more; others can. It may be the cause of a wrapping error.
 */
export const isOutdatedStatement = (error: unknown): boolean =>
  error instanceof Error &&
  ((codeOf(error) === '0A000' && error.message.includes('cached plan')) || isOutdatedStatement(error.cause));

const serializationFailure = '40001';
const deadlock = '40P01';

/** Whether a rolled-back transaction may succeed on a retry. */
export const isTransient = (error: unknown): boolean =>
  [serializationFailure, deadlock].includes(codeOf(error) ?? '') ||
  isConnectionLost(error) ||
  isOutdatedStatement(error);

/** Explains an error to the user who starts a program: adds the address if the database can't be reached. */
export const explained = (address: PostgresAddress, error: unknown): unknown =>
  isConnectionLost(error)
    ? new Error(
        `The database ${shownAddress(address)} can't be reached: ${error instanceof Error ? error.message : String(error)}. Check that it runs, and its address.`,
        { cause: error },
      )
    : error;

/**
 * The isolation of a transaction: in `write`, each statement sees what is committed by then; in `read`, all see the
 * same state, and none can write.
 */
export type TransactionMode = 'write' | 'read';

const beginning: Readonly<Record<TransactionMode, string>> = {
  write: 'begin isolation level read committed read write',
  read: 'begin isolation level repeatable read read only',
};

const maximumAttempts = 6;
/**
 * How long after its first attempt a transaction is retried, in milliseconds, so that its caller gets an answer in
 * time.
 */
const retriedFor = 5000;
const firstPauseMilliseconds = 20;

const commit = async (client: PostgresClient): Promise<void> => {
  const ended = await client.query('commit').catch((error: unknown) => {
    throw isConnectionLost(error) ? new CommitUnknown(error) : error;
  });
  // A transaction in which a statement failed can't be committed, even if the error was handled.
  if (ended.command === 'ROLLBACK')
    throw new Error('A change was rolled back, because one of its statements had failed.');
};

/** Runs an operation in a transaction that can't write. It costs no answers to wait for beside those of its statements. */
const reading = async <Result>(
  client: PostgresClient,
  operation: (client: PostgresClient) => Promise<Result>,
): Promise<Result> => {
  const begun = client.query(beginning.read);
  begun.catch(() => {});
  const result = await operation(client);
  await begun;
  // Whether it succeeds changes nothing. A connection that is lost meanwhile is noticed when it is used next.
  client.query('commit').catch(() => {});
  return result;
};

const writing = async <Result>(
  client: PostgresClient,
  operation: (client: PostgresClient) => Promise<Result>,
): Promise<Result> => {
  await client.query(beginning.write);
  const result = await operation(client);
  await commit(client);
  return result;
};

const once = async <Result>(
  pool: PostgresPool,
  mode: TransactionMode,
  operation: (client: PostgresClient) => Promise<Result>,
): Promise<Result> => {
  const client = await pool.connect();
  let broken: Error | boolean = false;
  try {
    return await (mode === 'read' ? reading : writing)(client, operation);
  } catch (error) {
    // A connection is unusable if it is lost or doesn't respond.
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

/** Grows from attempt to attempt, with jitter so that conflicting transactions separate. */
const pauseAfter = (attempt: number): Promise<void> =>
  setTimeout(firstPauseMilliseconds * 2 ** attempt * (0.5 + Math.random()));

/**
 * Runs an operation in a transaction: committed when it returns, rolled back when it throws. Retries it a few times,
 * for a few seconds, if it was rolled back because of another transaction or a lost connection.
 * @throws CommitUnknown if the connection broke during the commit in `write` mode
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
 * Runs an operation while holding a named lock that no other process holds. The lock belongs to its own connection, so
 * it is released whenever the process exits, even by a crash. Waits for the lock without a timeout.
 * @throws what the operation throws; Error if the database can't be reached, or the connection was lost meanwhile.
 * Another process may have started then
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
