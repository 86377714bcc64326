import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { databaseFile, openDatabase, type DataStore, type Db } from '../../src/platform/store/index.ts';

type PostgresTests = typeof import('./postgres/test-databases.ts');

/** What keeps records in PostgreSQL, in the suite that does so; undefined in all others. */
export const postgresTests: PostgresTests | undefined =
  process.env['TEST_POSTGRES'] === undefined ? undefined : await import('./postgres/test-databases.ts');

/** Opens the records of a data directory of a test, where the suite keeps them. */
export const openTestStore = (dataDir: string): Promise<DataStore> =>
  (postgresTests?.openTestDatabase ?? openDatabase)(dataDir);

/** Expects that references of all rows hold, and that nobody has switched them off. In PostgreSQL nobody can. */
export async function expectReferencesHold(db: Db): Promise<void> {
  if (postgresTests) return;
  expect((await sql`PRAGMA foreign_key_check`.execute(db)).rows).toEqual([]);
  expect((await sql<{ foreign_keys: number }>`PRAGMA foreign_keys`.execute(db)).rows).toEqual([{ foreign_keys: 1 }]);
}

/**
 * Keeps requests waiting that change something of an organization, as another process does while it writes.
 * @returns what lets them go on
 */
export async function holdWrites(dataDir: string, organizationId: string): Promise<() => Promise<void>> {
  if (postgresTests === undefined) {
    const other = new DatabaseSync(join(dataDir, databaseFile));
    other.exec('BEGIN IMMEDIATE');
    return async () => {
      other.exec('COMMIT');
      other.close();
    };
  }
  const other = await openTestStore(dataDir);
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = other.write(async (trx) => {
    await trx.lock(organizationId);
    held.resolve();
    await released.promise;
  });
  await held.promise;
  return async () => {
    released.resolve();
    await holding;
    await other.destroy();
  };
}
