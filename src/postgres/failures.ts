import { type PostgresAddress, shownAddress } from './address.ts';

/** Thrown if the connection broke while a transaction was committed: it may be committed, or not. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('The connection to the database broke while a change was committed. It may have been made, or not: look before you make it again.', { cause });
    this.name = 'CommitUnknown';
  }
}

const codeOf = (error: unknown): string | undefined => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
};

/** An error that the database itself reports has a state of five characters. */
const isState = (code: string | undefined): code is string => code !== undefined && /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);

// The server stops, or starts, or has ended this connection.
const connectionStates = /^(?:08|57P0[1235]|25P03)/;

/** Whether an error means that the connection is lost, or that there was none. */
export const isConnectionLost = (error: unknown): boolean => {
  const code = codeOf(error);
  if (isState(code)) return connectionStates.test(code);
  if (code !== undefined) return /^(?:ECONN|EPIPE|ETIMEDOUT|ENOENT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)/.test(code);
  return error instanceof Error && /Connection terminated|Query read timeout|timeout exceeded when trying to connect|not queryable|Client has encountered a connection error/.test(error.message);
};

// A limit in time was reached, or a limit of the server (connections, memory, disk), or it became one that only reads.
const busyStates = /^(?:57014|55P03|53|25006)/;

/** Whether an error means that the server has no time or no room for a statement at the moment. What it was part of is rolled back. */
export const isBusy = (error: unknown): boolean => {
  const code = codeOf(error);
  return isTransient(error) || (isState(code) && busyStates.test(code));
};

/**
 * Whether a prepared statement is of a time before its tables changed, as they do beside processes of an earlier version. The
 * connection can't run it any more; others can. It may be the cause of an error in other words.
 */
export const isOutdatedStatement = (error: unknown): boolean =>
  error instanceof Error && ((codeOf(error) === '0A000' && error.message.includes('cached plan')) || isOutdatedStatement(error.cause));

const serializationFailure = '40001';
const deadlock = '40P01';

/** Whether a transaction that was rolled back may succeed if it is made again. */
export const isTransient = (error: unknown): boolean => [serializationFailure, deadlock].includes(codeOf(error) ?? '') || isConnectionLost(error) || isOutdatedStatement(error);

/** An error in the words of who starts a program: where the database is, if it can't be reached. */
export const explained = (address: PostgresAddress, error: unknown): unknown =>
  isConnectionLost(error) ? new Error(`The database ${shownAddress(address)} can't be reached: ${error instanceof Error ? error.message : String(error)}. Check that it runs, and its address.`, { cause: error }) : error;
