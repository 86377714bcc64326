import { isThere } from '../../../files/index.ts';
import { join } from 'node:path';
import { openFile } from '../../../database/index.ts';
import type { KnownRecords } from '../store.ts';
import { databaseFile } from './database.ts';
import { requireNotMoved } from './moved-records.ts';

/**
 * Reads the ids in the records of a data directory, whether a platform uses it or not. Changes nothing.
 * @returns undefined if there are no records, or their platform only simulates
 * @throws Error if they can't be read, or were moved elsewhere
 */
export function readKnownRecords(dataDir: string): KnownRecords | undefined {
  const path = join(dataDir, databaseFile);
  if (!isThere(path)) return undefined;
  requireNotMoved(path);
  const database = openFile(path, { readOnly: true });
  try {
    const ids = (table: 'service' | 'environment'): ReadonlySet<string> =>
      new Set(
        database
          .prepare(`SELECT id FROM ${table}`)
          .all()
          .map(({ id }) => String(id)),
      );
    // One transaction, so that all three reads see the same state.
    database.exec('BEGIN');
    const platformId = database.prepare("SELECT value FROM setting WHERE name = 'platform_id'").get()?.['value'];
    return platformId === undefined
      ? undefined
      : { platformId: String(platformId), serviceIds: ids('service'), environmentIds: ids('environment') };
  } finally {
    database.close();
  }
}
