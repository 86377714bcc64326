import type { DatabaseSync } from 'node:sqlite';

/** How far the clock may step back without anybody's notice, in milliseconds: processes of one machine read it one after the other, and it is set right by a little. */
const tolerance = 5_000;

/** How far the latest time on record may stay behind, in milliseconds: not every look needs a write. */
const resolution = 1_000;

const keep = (database: DatabaseSync, now: number): void => {
  database.exec('DELETE FROM latest_time');
  database.prepare('INSERT INTO latest_time (at) VALUES (?)').run(now);
};

/**
 * The time by which what is kept in a store is judged: never before a time by which it was judged earlier, by any process.
 * Where the clock stepped back, nobody can tell how old the calls that wait for the operator are, nor what was decided
 * about them: those are dropped, and asked for anew. What counts against a limit is kept, as no newer than now.
 * Within a transaction of the caller.
 * @param now what the clock says, in milliseconds since 1970.
 */
export function storedTime(database: DatabaseSync, now: number): number {
  const latest = database.prepare('SELECT max(at) AS at FROM latest_time').get()!['at'] as number | null;
  if (latest === null || now >= latest + resolution) {
    keep(database, now);
    return now;
  }
  if (now >= latest - tolerance) return Math.max(now, latest);
  database.exec('DELETE FROM pending');
  for (const table of ['grave_call', 'wrong_secret']) database.prepare(`UPDATE ${table} SET at = ? WHERE at > ?`).run(now, now);
  keep(database, now);
  return now;
}
