import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sqliteGuardStore } from '../../../../src/server/guard/storage/guard-store.ts';
import { temporaryFolder } from '../../audit/audit-log.ts';
import { earlierStore, expectEarlierState } from './earlier-state.ts';

/** Opens a store in a process that kills itself at a statement. @returns whether it came to that */
async function isKilledAt(path: string, statement: string): Promise<boolean> {
  const program = fileURLToPath(new URL('./converting-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program, path, statement], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect([code, signal]).toEqual(signal === null ? [0, null] : [null, 'SIGKILL']);
  return signal !== null;
}

test.each([
  ['before anything is copied', 'insert into guard_waiting'],
  ['when half of it is copied', 'insert into guard_single_use'],
  ['when the earlier tables are being emptied', 'delete from grave_call'],
  ['just before it is committed', 'commit'],
])('a process that is killed while it takes over the file of an earlier program, %s, leaves it whole', async (_, statement) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'guard.sqlite');
  const database = new DatabaseSync(path);
  database.exec(await earlierStore('store'));
  // Enough that the process writes to the file before it commits.
  database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
    INSERT INTO single_use SELECT 'of the past ' || i || hex(zeroblob(100)), 1, 1 FROM n`);
  database.close();
  expect(await isKilledAt(path, statement)).toBe(true);
  const store = sqliteGuardStore(path);
  await expectEarlierState(store);
  await store.close();
}, 120_000);

test('a process that isn\'t killed takes it over', async () => {
  await using folder = await temporaryFolder();
  expect(await isKilledAt(join(folder.path, 'guard.sqlite'), 'a statement that nobody makes')).toBe(false);
}, 120_000);
