import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { KnownRecords } from '../known-records.ts';
import { databaseFile } from './database.ts';
import { requireNotMoved } from './moved-records.ts';

/**
 * Reads what the records in a data directory know, whether a platform uses it or not. Changes nothing.
 * @returns undefined if there are no records, or if they are of a platform that only simulates
 * @throws Error if they can't be read, or were moved elsewhere
 */
export function readKnownRecords(dataDir: string): KnownRecords | undefined {
  const path = join(dataDir, databaseFile);
  if (!existsSync(path)) return undefined;
  requireNotMoved(path);
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const ids = (table: 'service' | 'environment'): ReadonlySet<string> =>
      new Set(
        database
          .prepare(`SELECT id FROM ${table}`)
          .all()
          .map(({ id }) => String(id)),
      );
    // One moment for all three.
    database.exec('BEGIN');
    const platformId = database.prepare("SELECT value FROM setting WHERE name = 'platform_id'").get()?.['value'];
    return platformId === undefined
      ? undefined
      : { platformId: String(platformId), serviceIds: ids('service'), environmentIds: ids('environment') };
  } finally {
    database.close();
  }
}
