import type { DatabaseSync } from 'node:sqlite';
import { timeStep } from '../time-step.ts';

/** Implements `GuardStore.time` within the caller's transaction. */
export function storedTime(database: DatabaseSync, clock: number): number {
  const latest = database.prepare('SELECT max(at) AS at FROM latest_time').get()!['at'] as number | null;
  const { now, kind } = timeStep(latest ?? undefined, clock);
  if (kind === 'stay') return now;
  if (kind === 'back') {
    for (const table of ['pending', 'single_use']) database.exec(`DELETE FROM ${table}`);
    for (const table of ['grave_call', 'wrong_secret']) database.prepare(`UPDATE ${table} SET at = ? WHERE at > ?`).run(now, now);
  }
  database.exec('DELETE FROM latest_time');
  database.prepare('INSERT INTO latest_time (at) VALUES (?)').run(now);
  return now;
}
