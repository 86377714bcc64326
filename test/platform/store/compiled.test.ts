import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compiled, compiledChange, type DataStore, openDatabase } from '../../../src/platform/store/index.ts';
import { directoryForRecords } from '../../support/memory-directory.ts';

let dataDir: string;
let db: DataStore;

const names = Array.from({ length: 40 }, (_, index) => `o${String(index).padStart(2, '0')}`);

beforeEach(async () => {
  dataDir = await mkdtemp(join(directoryForRecords, 'infra-mcp-store-'));
  db = await openDatabase(dataDir);
  const at = '2026-01-01T00:00:00.000Z';
  await db
    .insertInto('organization')
    .values(
      names.map((id) => ({ id, created_at: at, updated_at: at, name: id, description: null, plan: null, owner: null })),
    )
    .execute();
});

afterEach(async () => {
  await db.destroy();
  await rm(dataDir, { recursive: true });
});

let built = 0;

const organizations = compiled(
  (
    queries,
    { ids, except, most }: { readonly ids: readonly string[]; readonly except: string; readonly most: number },
  ) => {
    built += 1;
    return queries
      .selectFrom('organization')
      .select('id')
      .where('plan', 'is', null)
      .where('id', 'in', ids)
      .where('id', '<>', except)
      .orderBy('id')
      .limit(most);
  },
);

const expected = (ids: readonly string[], except: string, most: number): string[] =>
  ids.filter((id) => id !== except).slice(0, most);

test('a query is built once for each number of values, and finds what it finds when it is built each time', async () => {
  const lengths = [0, 1, 2, 2, 1, 3, 16, 0, 3];
  const before = built;
  for (const [index, length] of lengths.entries()) {
    const ids = names.slice(index, index + length);
    const [except, most] = [ids[1] ?? 'none', 1 + index * 3];
    const rows = await db.read((trx) => organizations(trx, { ids, except, most }));
    expect(rows.map(({ id }) => id)).toEqual(expected(ids, except, most));
  }
  expect(built - before).toBeLessThanOrEqual(new Set(lengths).size);
});

test('a query with a long list, within a change, and on the reader is answered, too', async () => {
  const given = { ids: names.slice(0, 30), except: 'o03', most: 100 };
  for (const queries of [db, db.reader])
    expect((await organizations(queries, given)).map(({ id }) => id)).toEqual(expected(given.ids, 'o03', 100));
  const added = await db.write(async (trx) => {
    await trx.updateTable('organization').set({ plan: 'x' }).where('id', '=', 'o01').execute();
    return organizations(trx, { ids: ['o01', 'o02'], except: 'none', most: 5 });
  });
  expect(added.map(({ id }) => id)).toEqual(['o02']);
});

const setOrganization = compiledChange(
  (
    trx,
    { id, ...changed }: { readonly id: string; readonly plan?: string | null; readonly owner?: string | undefined },
  ) => trx.updateTable('organization').set(changed).where('id', '=', id).returning(['id', 'plan', 'owner']),
);

const change = (given: Parameters<typeof setOrganization>[1]) => db.write((trx) => setOrganization(trx, given));

test('a change sets the columns that are given', async () => {
  expect(await change({ id: 'o01', plan: 'small', owner: 'anna' })).toMatchObject({
    rows: [{ id: 'o01', plan: 'small', owner: 'anna' }],
  });
  expect((await change({ id: 'o01', plan: null })).rows).toEqual([{ id: 'o01', plan: null, owner: 'anna' }]);
  expect((await change({ id: 'o01', plan: 'big', owner: undefined })).rows).toEqual([
    { id: 'o01', plan: 'big', owner: 'anna' },
  ]);
  expect((await change({ id: 'none', plan: null })).rows).toEqual([]);
});
