import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile, keyFile } from '../../src/platform/store/index.ts';

/** The data directories of earlier versions, by the schema that they have. */
export const oldDirectories = ['data-0001', 'data-0002', 'data-0018'] as const;

/** Makes a data directory as an earlier program left it. @param more statements on top of what is stored */
export async function writeOldDirectory(dataDir: string, stored: string, more = ''): Promise<void> {
  const fixture = join(import.meta.dirname, '../fixtures', stored);
  const database = new DatabaseSync(join(dataDir, databaseFile));
  database.exec(await readFile(join(fixture, 'records.sql'), 'utf8'));
  database.exec(more);
  database.close();
  await copyFile(join(fixture, keyFile), join(dataDir, keyFile));
}
