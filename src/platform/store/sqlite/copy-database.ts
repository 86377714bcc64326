import { backup, type DatabaseSync } from 'node:sqlite';
import { openFile } from '../../../database/index.ts';
import { setTimeout } from 'node:timers/promises';

// Copies all pages in one step. A write between two steps would restart the copy.
const allPages = 2 ** 31 - 1;

const longestWaitMilliseconds = 5000;
const betweenAttemptsMilliseconds = 10;

// The codes of backup() while another connection writes to the target: SQLITE_BUSY, or 0 for no code.
const transientCodes = [0, 5];
// SQLITE_CORRUPT and SQLITE_NOTADB.
const unreadableCodes = [11, 26];

const codeOf = (error: unknown): number | undefined => (error as { errcode?: number }).errcode;

/** Whether an error of SQLite means that a file is damaged or isn't a database. */
export const isUnreadable = (error: unknown): boolean => unreadableCodes.includes(codeOf(error) ?? -1);

const backupWithRetry = async (source: DatabaseSync, to: string): Promise<void> => {
  const until = performance.now() + longestWaitMilliseconds;
  for (;;) {
    try {
      await backup(source, to, { rate: allPages });
      return;
    } catch (error) {
      if (!transientCodes.includes(codeOf(error) ?? -1) || performance.now() > until) throw error;
      await setTimeout(betweenAttemptsMilliseconds);
    }
  }
};

/**
 * Copies a database over another, even while both are in use: readers see the old or the new state, never a mix. The
 * copy is one transaction of the target, which a crash rolls back.
 * @param to path of a database, or of an empty or missing file
 * @throws Error of SQLite if one of them can't be read or written
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const source = openFile(from);
  try {
    await backupWithRetry(source, to);
  } finally {
    source.close();
  }
}
