import { existsSync } from 'node:fs';
import type { ExportedCounts } from '../exported-counts.ts';
import { sqliteConnection } from './connection.ts';

/**
 * Exports what counts against limits in a store's file, which stays as it is.
 * @param now milliseconds since 1970
 * @returns undefined if there is no such file
 */
export async function exportCounts(path: string, now: number): Promise<ExportedCounts | undefined> {
  if (!existsSync(path)) return undefined;
  const { transact, close } = sqliteConnection(path);
  try {
    return await transact((database) => ({
      latest: (database.prepare('SELECT max(at) AS at FROM latest_time').get()!['at'] as number | null) ?? undefined,
      highRiskCalls: database.prepare('SELECT at FROM grave_call ORDER BY at').all().map(({ at }) => Number(at)),
      secretTries: database.prepare('SELECT at, source FROM wrong_secret ORDER BY at').all().map(({ at, source }) => ({ at: Number(at), source: String(source) })),
      waitingCalls: Number(database.prepare('SELECT count(*) AS n FROM pending WHERE expires_at > ?').get(now)!['n']),
    }));
  } finally {
    close();
  }
}
