import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { sqliteGuardStore } from '../../../../src/server/guard/index.ts';
import { isKilledAt } from '../../../support/killed-conversion.ts';
import { temporaryFolder } from '../../audit/audit-log.ts';
import { earlierStore, expectEarlierState } from './earlier-state.ts';

test.each([
  ['before anything is copied', 'insert into guard_waiting'],
  ['when half of it is copied', 'insert into guard_single_use'],
  ['when the earlier tables are being emptied', 'delete from grave_call'],
  ['just before it is committed', 'commit'],
])(
  'a process that is killed while it takes over the file of an earlier program, %s, leaves it whole',
  async (_, statement) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'guard.sqlite');
    const database = new DatabaseSync(path);
    database.exec(await earlierStore('store'));
    // Enough that the process writes to the file before it commits.
    database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
    INSERT INTO single_use SELECT 'of the past ' || i || hex(zeroblob(100)), 1, 1 FROM n`);
    database.close();
    expect(await isKilledAt('guard', path, statement)).toBe(true);
    const store = sqliteGuardStore(path);
    await expectEarlierState(store);
    await store.close();
  },
  120_000,
);

test("a process that isn't killed takes it over", async () => {
  await using folder = await temporaryFolder();
  expect(await isKilledAt('guard', join(folder.path, 'guard.sqlite'), 'a statement that nobody makes')).toBe(false);
}, 120_000);
