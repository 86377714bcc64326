import type { DatabaseSync } from 'node:sqlite';

/** How far the clock may step back without consequence, in milliseconds: processes read it one after another, and small corrections happen. */
const tolerance = 5_000;

/** How far the stored time may fall behind the clock, in milliseconds, so that not every call writes. */
const resolution = 1_000;

const writeTime = (database: DatabaseSync, now: number): void => {
  database.exec('DELETE FROM latest_time');
  database.prepare('INSERT INTO latest_time (at) VALUES (?)').run(now);
};

/**
 * The time to use for what is in a store: never before a time that any process used earlier. If the clock stepped back,
 * the age of the waiting calls and their decisions can't be known: they are deleted, and have to be asked for again.
 * What counts against a limit stays, dated no later than now. Runs within the caller's transaction.
 * @param now what the clock says, in milliseconds since 1970.
 */
export function storedTime(database: DatabaseSync, now: number): number {
  const latest = database.prepare('SELECT max(at) AS at FROM latest_time').get()!['at'] as number | null;
  if (latest === null || now >= latest + resolution) {
    writeTime(database, now);
    return now;
  }
  if (now >= latest - tolerance) return Math.max(now, latest);
  database.exec('DELETE FROM pending');
  for (const table of ['grave_call', 'wrong_secret']) database.prepare(`UPDATE ${table} SET at = ? WHERE at > ?`).run(now, now);
  writeTime(database, now);
  return now;
}
