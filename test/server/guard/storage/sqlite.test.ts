import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { sqliteGuardStore } from '../../../../src/server/guard/index.ts';
import { temporaryFolder } from '../../audit/audit-log.ts';
import { start, waitingRecord } from './store-work.ts';

test('a store in a file keeps others from writing between its look and its change', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'guard.sqlite');
  const store = sqliteGuardStore(path);
  const rival = (): undefined => {
    using database = new DatabaseSync(path, { timeout: 0 });
    expect(() => database.exec('BEGIN IMMEDIATE')).toThrow('database is locked');
  };
  expect(await store.waiting.add(waitingRecord({ code: 'A' }), start, rival)).toEqual({ kind: 'added' });
  await store.close();
});

test('a store in a file is not there before its first use', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'data', 'guard.sqlite');
  const store = sqliteGuardStore(path);
  await store.close();
  await expect(stat(path)).rejects.toThrow('ENOENT');
  expect(await store.waiting.countUndecided(start)).toBe(0);
  expect((await stat(path)).size).toBeGreaterThan(0);
  await store.close();
});
