import { setTimeout } from 'node:timers/promises';
import { CommitUnknown, isConnectionLost, isTransient } from './failures.ts';
import type { PostgresClient, PostgresPool } from './pool.ts';

/** What a transaction sees: each statement what is committed by then, or all of them the same state, without writing. */
export type TransactionMode = 'write' | 'read';

const beginning: Readonly<Record<TransactionMode, string>> = {
  write: 'begin isolation level read committed read write',
  read: 'begin isolation level repeatable read read only',
};

const maximumAttempts = 6;
/** How long a transaction is made again after its first attempt began, in milliseconds: whoever waits for it gets an answer in time. */
const retriedFor = 5000;
const firstPauseMilliseconds = 20;

const commit = async (client: PostgresClient, mode: TransactionMode): Promise<void> => {
  const ended = await client.query('commit').catch((error: unknown) => {
    throw mode === 'write' && isConnectionLost(error) ? new CommitUnknown(error) : error;
  });
  // A transaction in which a statement failed can't be committed, whatever was made of its error.
  if (ended.command === 'ROLLBACK') throw new Error('A change was undone, because one of its statements had failed before.');
};

const once = async <Result>(pool: PostgresPool, mode: TransactionMode, operation: (client: PostgresClient) => Promise<Result>): Promise<Result> => {
  const client = await pool.connect();
  let broken: Error | boolean = false;
  try {
    await client.query(beginning[mode]);
    const result = await operation(client);
    await commit(client, mode);
    return result;
  } catch (error) {
    // Nothing can be said on a connection that is lost, or that doesn't answer.
    broken = error instanceof CommitUnknown || isConnectionLost(error) || (await client.query('rollback').then(() => false, () => true));
    throw error;
  } finally {
    client.release(broken);
  }
};

/** Longer from attempt to attempt, and different for those that got in each other's way. */
const pauseAfter = (attempt: number): Promise<void> => setTimeout(firstPauseMilliseconds * 2 ** attempt * (0.5 + Math.random()));

/**
 * Runs an operation in a transaction: committed when it returns, rolled back when it throws. Runs it again, a few times, if it
 * was rolled back because of another transaction or of a lost connection, for a few seconds.
 * @throws CommitUnknown if the connection broke during the commit of what may have written
 */
export async function transaction<Result>(pool: PostgresPool, mode: TransactionMode, operation: (client: PostgresClient) => Promise<Result>): Promise<Result> {
  const retriedUntil = performance.now() + retriedFor;
  for (let attempt = 0; ; attempt += 1) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- each attempt follows the one before.
      return await once(pool, mode, operation);
    } catch (error) {
      if (error instanceof CommitUnknown || !isTransient(error) || attempt + 1 === maximumAttempts || performance.now() > retriedUntil) throw error;
      // oxlint-disable-next-line no-await-in-loop
      await pauseAfter(attempt);
    }
  }
}
