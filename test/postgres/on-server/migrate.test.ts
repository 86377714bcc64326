import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/cli/config/index.ts';
import { moveRecords, type Move } from '../../../src/cli/wiring/move-records.ts';
import { startPlatform } from '../../../src/platform/index.ts';
import { openPostgresRecords } from '../../../src/platform/store/postgres/open-records.ts';
import {
  databaseFile,
  openDatabase,
  readKnownRecords,
  prepareRestore,
  takeSnapshot,
  type DataStore,
  type Db,
  openVault,
} from '../../../src/platform/store/index.ts';
import { clientConfig, parseAddress, type PostgresAddress } from '../../../src/postgres/index.ts';
import { postgresGuardStore } from '../../../src/server/guard/storage/postgres-store.ts';
import { sqliteGuardStore } from '../../../src/server/guard/index.ts';
import { oldDirectories, writeOldDirectory } from '../../support/old-directory.ts';
import { addressOf, createTestDatabase, dropTestDatabase } from '../../support/postgres/test-databases.ts';
import { addTo, waitingRecord } from '../../server/guard/storage/store-work.ts';

let home: string;
let dataDir: string;
let databaseUrl: string;
let address: PostgresAddress;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'infra-mcp-move-'));
  dataDir = await mkdtemp(join(home, 'data-'));
  databaseUrl = addressOf(await createTestDatabase(home));
  address = parseAddress(databaseUrl);
});

afterEach(async () => {
  await dropTestDatabase(home);
  await rm(home, { recursive: true });
});

const move = (directory = dataDir): Promise<Move> =>
  moveRecords(readConfig('migrate', { dataDir: directory }, {}).config, databaseUrl);

const query = async (statement: string): Promise<Record<string, unknown>[]> => {
  const client = new Client(clientConfig(address, { applicationName: 'a test', maximumConnections: 1 }));
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
};

const inFile = <Result>(use: (database: DatabaseSync) => Result): Result => {
  using database = new DatabaseSync(join(dataDir, databaseFile));
  return use(database);
};

const tablesOf = (database: DatabaseSync): string[] =>
  database
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'kysely_%' AND name <> 'platform_schema_step'`,
    )
    .all()
    .map(({ name }) => String(name));

/** All rows of a store by their tables, each in an order that depends on nothing but them. */
const rowsOf = async (db: Db, tables: readonly string[]): Promise<Record<string, string[]>> => {
  const rows: Record<string, string[]> = {};
  for (const table of tables)
    rows[table] = (await sql`select * from ${sql.table(table)}`.execute(db)).rows
      .map((row) => JSON.stringify(row, Object.keys(row as object).toSorted()))
      .toSorted();
  return rows;
};

const withStore = async <Result>(
  opening: Promise<DataStore>,
  use: (db: DataStore) => Promise<Result>,
): Promise<Result> => {
  const db = await opening;
  try {
    return await use(db);
  } finally {
    await db.destroy();
  }
};

const inDatabase = <Result>(use: (db: DataStore) => Promise<Result>): Promise<Result> =>
  withStore(openPostgresRecords(address, { maximumConnections: 2 }), use);

/** The rows of the data directory, in the schema of this program, as they are without any worker. */
const rowsOfDirectory = async (stored: string, more?: string): Promise<Record<string, string[]>> => {
  const copy = await mkdtemp(join(home, 'copy-'));
  await writeOldDirectory(copy, stored, more);
  return withStore(openDatabase(copy), async (db) => {
    await db.deleteFrom('worker').execute();
    using database = new DatabaseSync(join(copy, databaseFile), { readOnly: true });
    return rowsOf(db, tablesOf(database));
  });
};

const definitions = () =>
  query(
    `select conrelid::regclass::text as "of", pg_get_constraintdef(oid) as "is" from pg_constraint where connamespace = 'public'::regnamespace and conrelid::regclass::text not like 'guard_%' union all select tgrelid::regclass::text, tgname || ' ' || tgenabled::text from pg_trigger where not tgisinternal order by 1, 2`,
  );

describe('a data directory that is moved to a database', () => {
  test.each(oldDirectories)(
    'has every row of %s there, with its value, and the tables are as before',
    async (stored) => {
      await writeOldDirectory(dataDir, stored);
      const before = await definitions();
      const { tables } = await move();
      const expected = await rowsOfDirectory(stored);
      const found = await inDatabase((db) => rowsOf(db, Object.keys(expected)));
      // The database keeps its key, and what it was moved from.
      expect({ ...found, setting: found['setting']!.filter((row) => !/key_check|moved_from/.test(row)) }).toEqual({
        ...expected,
        setting: expected['setting']!.filter((row) => !row.includes('key_check')),
      });
      expect(
        tables!.filter(
          ({ table, rows }) => table !== 'setting' && !table.startsWith('guard_') && rows !== expected[table]!.length,
        ),
      ).toEqual([]);
      expect(tables!.reduce((sum, { rows }) => sum + rows, 0)).toBeGreaterThan(10);
      expect(await definitions()).toEqual(before);
      expect((await readdir(dataDir)).filter((name) => name.startsWith('replacing-'))).toEqual([]);
    },
  );

  test('is served from there, and new rows get higher numbers than all before', async () => {
    await writeOldDirectory(dataDir, 'data-0002', "UPDATE sqlite_sequence SET seq = 7000 WHERE name = 'log_line'");
    await move();
    const options = {
      dataDir,
      timeScale: 0,
      token: 'token-of-the-test',
      openRecords: () => openPostgresRecords(address),
    };
    const platform = await startPlatform(options);
    await platform.close();
    const [numbered] = await query(
      `insert into log_line (deployment_id, service_id, created_at, message, pod_name, version) select deployment_id, service_id, now(), '', '', '' from deployment_service limit 1 returning seq`,
    );
    expect(Number(numbered!['seq'])).toBeGreaterThan(7000);
  });

  test('is refused wherever it was used, with the place where its records are', async () => {
    await writeOldDirectory(dataDir, 'data-0002');
    await move();
    const { host, port, database } = address;
    await expect(startPlatform({ dataDir })).rejects.toThrow(
      `were moved to the database postgres@${host}:${port}/${database} on `,
    );
    // Programs of before know no mark, but refuse what a migration left that they don't know.
    expect(inFile((file) => file.prepare('SELECT name FROM kysely_migration ORDER BY name DESC').get())).toEqual({
      name: 'moved_to_database',
    });
  });

  test('is served again once a backup of before is restored', async () => {
    await writeOldDirectory(dataDir, 'data-0002');
    await takeSnapshot(dataDir, 'before');
    await move();
    await expect(takeSnapshot(dataDir, 'after')).rejects.toThrow('were moved to the database');
    expect(() => readKnownRecords(dataDir)).toThrow('were moved to the database');
    const replacement = await prepareRestore(dataDir, 'before', openVault(dataDir));
    await replacement.commit();
    await replacement.discard();
    await (await startPlatform({ dataDir, timeScale: 0 })).close();
    await expect(move()).rejects.toThrow('They were moved there from a data directory, which had other records then.');
  });

  test('can be moved once more, which changes nothing, but not to another database', async () => {
    await writeOldDirectory(dataDir, 'data-0001');
    await move();
    const rows = await query('select * from setting order by name');
    expect((await move()).tables).toBeUndefined();
    expect(await query('select * from setting order by name')).toEqual(rows);
    const first = databaseUrl;
    const other = await mkdtemp(join(home, 'other-'));
    databaseUrl = addressOf(await createTestDatabase(other));
    await expect(move()).rejects.toThrow(
      `can't be moved to postgres@${address.host}:${address.port}/${new URL(databaseUrl).pathname.slice(1)} as well`,
    );
    databaseUrl = first;
    await dropTestDatabase(other);
  });

  test('stays as it was if the database has other records', async () => {
    const other = await mkdtemp(join(home, 'other-'));
    await writeOldDirectory(other, 'data-0001');
    await move(other);
    await writeOldDirectory(dataDir, 'data-0002');
    const before = inFile((file) => file.prepare('SELECT * FROM kysely_migration').all());
    const count = await query('select count(*) from service');
    await expect(move()).rejects.toThrow(
      /has records of a platform already, such as in the table \w+\..* Nothing was changed\.$/,
    );
    expect(inFile((file) => file.prepare('SELECT * FROM kysely_migration').all())).toEqual(before);
    expect(await query('select count(*) from service')).toEqual(count);
    await (await startPlatform({ dataDir, timeScale: 0 })).close();
  });

  test.each([
    [
      'rows are missing',
      'create rule missing as on insert to variable do instead nothing',
      /^The table variable reads back differently from what was written to it: 0 of \d+ rows/,
    ],
    [
      'a value is another',
      `create rule another as on insert to organization do also update organization set name = name || ' '`,
      /^The table organization reads back differently from what was written to it: 1 of 1 rows, digest \w+ for \w+\. Nothing was changed\.$/,
    ],
  ])('stays as it was if %s when a table is read back, and the database stays empty', async (_, fault, told) => {
    await writeOldDirectory(dataDir, 'data-0002');
    await query(fault);
    await expect(move()).rejects.toThrow(told);
    expect(await query('select (select count(*) from service) + (select count(*) from setting) as rows')).toEqual([
      { rows: 0 },
    ]);
    await (await startPlatform({ dataDir, timeScale: 0 })).close();
  });

  test('keeps values of every kind, and tells of those that the database has not', async () => {
    const odd = `UPDATE project SET description = char(0) || 'a' || char(0), created_at = '2025-11-03T10:00:00+02:00' WHERE name = 'shop'`;
    const text = "UPDATE organization SET description = char(9, 10, 13, 127, 128, 65533, 128512) || '''\"\\u0000{}$1'";
    await writeOldDirectory(dataDir, 'data-0001', `${odd}; ${text}`);
    const { tables } = await move();
    expect(
      tables!
        .filter(({ changedValues }) => changedValues > 0)
        .map(({ table, changedValues }) => [table, changedValues]),
    ).toEqual([['project', 2]]);
    const [project] = await inDatabase((db) =>
      db.selectFrom('project').select(['description', 'created_at']).where('name', '=', 'shop').execute(),
    );
    expect(project).toEqual({ description: '\uFFFDa\uFFFD', created_at: '2025-11-03T08:00:00.000Z' });
    expect(await inDatabase((db) => db.selectFrom('organization').select('description').execute())).toEqual([
      { description: '\t\n\r\x7F\x80\uFFFD\u{1F600}\'"\\u0000{}$1' },
    ]);
  });

  test('is refused without the key of its secrets, or with another', async () => {
    await writeOldDirectory(dataDir, 'data-0002');
    await (await startPlatform({ dataDir, timeScale: 0 })).close();
    await rm(join(dataDir, 'secret.key'));
    await expect(move()).rejects.toThrow(`There is no secret.key in ${dataDir}`);
    openVault(dataDir);
    await expect(move()).rejects.toThrow(`The key file secret.key in ${dataDir}`);
    expect(await query('select count(*) from service')).toEqual([{ count: 0 }]);
  });

  test('passwords that an earlier version kept in addresses of webhooks are sealed before they get there', async () => {
    await writeOldDirectory(
      dataDir,
      'data-0002',
      "UPDATE webhook SET target_url = 'https://hooker:made-up-pass@hooks.example.com/in' WHERE target_url = 'https://hooks.example.com/in'",
    );
    await move();
    const [webhook] = await query(
      "select target_url, sealed_target_userinfo from webhook where target_url like '%hooks.example.com/in'",
    );
    expect(webhook!['target_url']).toBe('https://hooks.example.com/in');
    expect(openVault(dataDir).open(webhook!['sealed_target_userinfo'] as string)).toBe('hooker:made-up-pass');
    // The same directory is known again, though sealing gives another text each time.
    expect((await move()).tables).toBeUndefined();
  });
});

describe('what servers share', () => {
  test('brings along what counts against limits, beside what counts there, and leaves what waits', async () => {
    const now = Date.now();
    const here = sqliteGuardStore(join(dataDir, 'guard.sqlite'));
    const there = postgresGuardStore(address);
    expect(await here.highRiskCalls.take(5, now, 3)).toBeUndefined();
    expect(await there.highRiskCalls.take(5, now, 1)).toBeUndefined();
    for (let count = 0; count < 5; count += 1) await here.secretTries.begin('198.51.100.7', now);
    await addTo(here, waitingRecord({ code: 'A', expiresAt: now + 60_000 }), now);
    await here.close();
    const { tables, waitingCalls } = await move();
    expect(tables!.map(({ table, rows }) => [table, rows])).toEqual([
      ['guard_high_risk_call', 3],
      ['guard_secret_try', 5],
    ]);
    expect(waitingCalls).toBe(1);
    expect(await there.highRiskCalls.take(5, now, 1)).toBeUndefined();
    expect(await there.highRiskCalls.take(5, now, 1)).toBeGreaterThan(now);
    expect(await there.secretTries.begin('198.51.100.7', now)).toMatchObject({ kind: 'locked' });
    expect(await there.waiting.countUndecided(now)).toBe(0);
    await there.close();
    const again = sqliteGuardStore(join(dataDir, 'guard.sqlite'));
    expect(await again.waiting.countUndecided(now)).toBe(1);
    await again.close();
  });
});
