import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseFile, openDatabase } from '../../../src/platform/store/index.ts';
import { isKilledAt } from '../../support/killed-conversion.ts';
import { writeOldDirectory } from '../../support/old-directory.ts';

let dataDir: string;
let path: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'infra-mcp-killed-'));
  path = join(dataDir, databaseFile);
  // Enough that the process writes to the file before it commits.
  await writeOldDirectory(
    dataDir,
    'data-0018',
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
    INSERT INTO audit_event (organization_id, created_at, event_type, target_type, target_name, change, origin, triggered_by)
    SELECT 'of the past', '2026-01-01T00:00:00.000Z', 'UPDATE', 'PROJECT', 'name ' || i, hex(zeroblob(100)), 'API', 'somebody' FROM n`,
  );
});
afterEach(() => rm(dataDir, { recursive: true }));

const storedIn = (): unknown => {
  using database = new DatabaseSync(path);
  const rows = (query: string) => database.prepare(query).all();
  const tables = rows("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'").map(
    ({ name }) => String(name),
  );
  return [
    rows('select name, sql from sqlite_schema order by name'),
    rows('pragma integrity_check'),
    ...tables.map((table) => rows(`select count(*) as rows, '${table}' as name from ${table}`)),
  ];
};

test.each([
  ['before tables are set aside', 'drop trigger'],
  ['when some are set aside', 'alter table service rename'],
  ['when half of it is brought', 'insert into deployment_service'],
  ['when what was set aside is being removed', 'drop table if exists earlier_service'],
  ['just before it is committed', 'commit'],
])(
  'a process that is killed while it takes over the directory of an earlier program, %s, leaves it as it was',
  async (_, statement) => {
    const before = storedIn();
    expect(await isKilledAt('platform', path, statement)).toBe(true);
    expect(storedIn()).toEqual(before);
    const db = await openDatabase(dataDir);
    expect(
      await db
        .selectFrom('audit_event')
        .select(({ fn }) => fn.countAll().as('rows'))
        .where('organization_id', '=', 'of the past')
        .execute(),
    ).toEqual([{ rows: 40_000 }]);
    await db.destroy();
  },
  120_000,
);

test("a process that isn't killed takes it over", async () => {
  expect(await isKilledAt('platform', path, 'a statement that nobody makes')).toBe(false);
  expect(JSON.stringify(storedIn())).toContain('platform_schema_step');
}, 120_000);
