import { backup, DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';

// In one piece: between two pieces others could write, and the copy would begin anew.
const allPages = 2 ** 31 - 1;

const longestWaitMilliseconds = 5000;
const betweenAttemptsMilliseconds = 10;

// What backup() reports when another connection writes to the target just then: SQLITE_BUSY, or no code at all.
const transientCodes = [0, 5];
// SQLITE_CORRUPT and SQLITE_NOTADB.
const unreadableCodes = [11, 26];

const codeOf = (error: unknown): number | undefined => (error as { errcode?: number }).errcode;

/** Whether SQLite refused a file for what is in it. */
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
 * Copies a database over another, while both may be in use: readers of either see it as it was or as it is, never in
 * between. The copy is one transaction of the target, which a crash undoes.
 * @param to path of a database, or of an empty or missing file
 * @throws Error of SQLite when one of them can't be read or written
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from);
  try {
    await backupWithRetry(source, to);
  } finally {
    source.close();
  }
}
