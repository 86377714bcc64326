import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pagedLists } from '../../../src/platform/store/schema/paged-lists.ts';
import { databaseFile, openDatabase } from '../../../src/platform/store/index.ts';
import { directoryForRecords } from '../../support/memory-directory.ts';
import { oldDirectories, writeOldDirectory } from '../../support/old-directory.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(directoryForRecords, 'infra-mcp-conversion-'));
});
afterEach(() => rm(home, { recursive: true }));

type Row = Readonly<Record<string, unknown>>;

const queriesOn =
  (dataDir: string) =>
  (query: string): Row[] => {
    using database = new DatabaseSync(join(dataDir, databaseFile));
    return database.prepare(query).all();
  };

/** A directory of an earlier program, as it is and as this program leaves it. */
async function converted(stored: string, more = '') {
  const [before, after] = [join(home, 'before'), join(home, 'after')];
  for (const directory of [before, after]) {
    await mkdir(directory);
    await writeOldDirectory(directory, stored, more);
  }
  await (await openDatabase(after)).destroy();
  return { before: queriesOn(before), after: queriesOn(after), directory: after };
}

const schema = "select type, name, sql from sqlite_schema where name not like 'sqlite_%' order by type, name";

test.each(oldDirectories)('%s gets the tables, look-ups and triggers of a new directory', async (stored) => {
  const fresh = join(home, 'fresh');
  await (await openDatabase(fresh)).destroy();
  const { after } = await converted(stored);
  const expected = queriesOn(fresh)(schema);
  expect(expected.length).toBeGreaterThan(100);
  expect(after(schema)).toEqual(expected);
  expect(after('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(after('select name, position, compatible_since from platform_schema_step')).toEqual(
    queriesOn(fresh)('select name, position, compatible_since from platform_schema_step'),
  );
});

test.each(oldDirectories)('%s keeps every row in its order, and has the totals of lists', async (stored) => {
  const { before, after } = await converted(stored);
  const tables = before(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%' and name <> 'list_total'",
  ).map(({ name }) => String(name));
  expect(tables.length).toBeGreaterThan(15);
  // What is changed on the way is told of by old-directories.test.ts.
  const changed: Readonly<Record<string, readonly string[]>> = {
    alert_rule: ['target_type'],
    service: ['spec', 'deployed_spec'],
    deployment_service: ['spec'],
  };
  for (const table of tables) {
    const columns = before(`select name from pragma_table_info('${table}')`)
      .map(({ name }) => `"${String(name)}"`)
      .filter((name) => !changed[table]?.includes(name.replaceAll('"', '')));
    const rows = `select ${columns.join(', ')} from ${table} order by rowid`;
    // An earlier program didn't record that it seeded its records.
    expect(
      after(rows).filter(({ name }) => table !== 'setting' || name !== 'seeded'),
      table,
    ).toEqual(before(rows).filter(({ name }) => table !== 'setting' || name !== 'seeded'));
  }
  for (const { table, owner, only = 'true' } of pagedLists) {
    const counted = after(
      `select ${owner} as owner_id, count(*) as total from ${table} where ${owner} is not null and ${only} group by 1 order by 1`,
    );
    const kept = after(
      `select owner_id, total from list_total where list = '${table}' and total > 0 and owner_id in (select ${owner} from ${table} where ${only}) order by 1`,
    );
    expect(kept, `${table} of ${owner}`).toEqual(counted);
  }
});

test('a number is not given again, even if that of a row which is no longer there', async () => {
  const { after } = await converted(
    'data-0018',
    "update sqlite_sequence set seq = 9000 where name = 'deployment'; delete from audit_event",
  );
  expect(
    after(
      "select name, seq from sqlite_sequence where name in ('alert_notification', 'audit_event', 'deployment') order by 1",
    ),
  ).toEqual([
    { name: 'alert_notification', seq: 1 },
    { name: 'audit_event', seq: 4 },
    { name: 'deployment', seq: 9000 },
  ]);
});

test('nothing is left in pages that nobody reads', async () => {
  const secret = 'stored-by-an-earlier-program';
  const { directory } = await converted('data-0018', `insert into setting values ('of_before', '${secret}')`);
  const database = new DatabaseSync(join(directory, databaseFile));
  database.exec(
    "pragma secure_delete = on; delete from setting where name = 'of_before'; pragma wal_checkpoint(truncate)",
  );
  database.close();
  expect((await readFile(join(directory, databaseFile))).includes(secret)).toBe(false);
});

test('the directory of a newer program of the time before is left as it is', async () => {
  await expect(
    converted('data-0018', "insert into kysely_migration values ('0018-others', '2026-01-01T00:00:00.000Z')"),
  ).rejects.toThrow(/which made the migration 0018-others\. Nothing was changed\./);
  expect(queriesOn(join(home, 'after'))(schema)).toEqual(queriesOn(join(home, 'before'))(schema));
});

test('rows that refer to nothing are not taken over, and the directory is left as it is', async () => {
  await expect(converted('data-0018', 'delete from cluster')).rejects.toThrow(
    'The database refers to rows that are not there, and was left as it is.',
  );
  expect(queriesOn(join(home, 'after'))(schema)).toEqual(queriesOn(join(home, 'before'))(schema));
});

test('earlier programs find a migration that they do not know, in new directories too', async () => {
  const fresh = join(home, 'fresh');
  await (await openDatabase(fresh)).destroy();
  const { after } = await converted('data-0018');
  for (const read of [after, queriesOn(fresh)])
    expect(read('select name from kysely_migration')).toEqual([{ name: '0019-schema-steps' }]);
});
