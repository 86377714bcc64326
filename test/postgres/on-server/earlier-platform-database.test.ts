import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseAddress } from '../../../src/postgres/index.ts';
import { openPostgresRecords } from '../../../src/platform/store/postgres/open-records.ts';
import { databaseFile, openDatabase } from '../../../src/platform/store/index.ts';
import { inDatabase } from '../../support/postgres/in-database.ts';
import { addressOf, createTestDatabase, dropTestDatabase } from '../../support/postgres/test-databases.ts';

let directories: string[];
let earlier: string;
let fresh: string;

beforeEach(async () => {
  directories = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'infra-mcp-shape-'))));
  earlier = addressOf(await createTestDatabase(directories[0]!, 'template0'));
  fresh = addressOf(await createTestDatabase(directories[1]!));
});

afterEach(async () => {
  await Promise.all(directories.map(dropTestDatabase));
  await Promise.all(directories.map((directory) => rm(directory, { recursive: true })));
});

/**
 * Tables with their columns, keys, conditions, look-ups and triggers. The conditions of variables are said in other
 * words by now.
 */
const shape = `
  select format('%s.%s %s %s%s %s', table_name, column_name, data_type, collation_name, case is_nullable when 'NO' then ' not null' else '' end, coalesce(column_default, identity_generation)) as part
    from information_schema.columns where table_schema = 'public'
  union select indexdef from pg_indexes where schemaname = 'public'
  union select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace and conname not like 'variable\\_check%'
  union select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by 1`;

const partsOf = async (address: string, query = shape): Promise<readonly string[]> =>
  (await inDatabase<{ part: string }>(address, query)).map(({ part }) => part).toSorted();

test('the database of an earlier platform gets the same tables as a new one, and keeps its rows', async () => {
  await inDatabase(
    earlier,
    await readFile(join(import.meta.dirname, '../../fixtures/database-0008/records.sql'), 'utf8'),
  );
  const before = await inDatabase(earlier, 'select id, name, created_at from service order by id');
  expect(before.length).toBeGreaterThan(0);
  const records = await openPostgresRecords(parseAddress(earlier));
  expect(await records.selectFrom('project').select('name').execute()).toEqual([{ name: 'shop' }]);
  await records.destroy();
  expect(await inDatabase(earlier, 'select id, name, created_at from service order by id')).toEqual(before);
  const expected = await partsOf(fresh);
  expect(expected.length).toBeGreaterThan(400);
  expect(await partsOf(earlier)).toEqual(expected);
});

test('both databases have the same tables, columns and look-ups', async () => {
  await (await openDatabase(directories[0]!)).destroy();
  using database = new DatabaseSync(join(directories[0]!, databaseFile));
  const partsInFile = (query: string) =>
    database
      .prepare(query)
      .all()
      .map(({ part }) => String(part))
      .toSorted();
  const columns =
    partsInFile(`select t.name || '.' || c.name || case when c."notnull" or c.pk then ' not null' else '' end as part
    from sqlite_schema as t, pragma_table_info(t.name) as c where t.type = 'table' and t.name not like 'sqlite_%' and t.name not in ('kysely_migration', 'platform_schema_step')`);
  expect(columns.length).toBeGreaterThan(300);
  // Calls are counted in memory where one process serves the records.
  expect(
    await partsOf(
      fresh,
      `select table_name || '.' || column_name || case is_nullable when 'NO' then ' not null' else '' end as part
    from information_schema.columns where table_schema = 'public' and table_name not in ('call_window', 'platform_schema_step')`,
    ),
  ).toEqual(columns);
  const lookUps = partsInFile(
    "select tbl_name || ' ' || name as part from sqlite_schema where type = 'index' and sql is not null",
  );
  expect(
    await partsOf(
      fresh,
      `select tablename || ' ' || indexname as part from pg_indexes
    where schemaname = 'public' and indexname <> 'call_window_end' and not exists (select from pg_constraint where conname = indexname)`,
    ),
  ).toEqual(lookUps);
});
