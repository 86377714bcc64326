import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseFile, type Db, openDatabase } from '../../src/platform/store/database.ts';

let dataDir: string;
let db: Db;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'infra-mcp-store-'));
  db = await openDatabase(dataDir);
});

afterEach(async () => {
  await db.destroy();
  await rm(dataDir, { recursive: true });
});

const at = '2026-01-01T00:00:00.000Z';
const organization = { id: 'o', created_at: at, updated_at: at, name: 'Example', description: null, plan: null, owner: null };
const project = { id: 'p', created_at: at, updated_at: at, organization_id: 'o', name: 'Shop', description: null };

const pragma = async (name: string) => Object.values((await sql<Record<string, unknown>>`PRAGMA ${sql.raw(name)}`.execute(db)).rows[0]!)[0];

test('commits survive a power cut, and references hold', async () => {
  // 2 is FULL.
  expect([await pragma('journal_mode'), await pragma('synchronous'), await pragma('foreign_keys')]).toEqual(['wal', 2, 1]);
  await expect(db.insertInto('project').values(project).execute()).rejects.toThrow('FOREIGN KEY');
});

test('names that differ only in case can not stand side by side', async () => {
  await db.insertInto('organization').values(organization).execute();
  await db.insertInto('project').values(project).execute();
  await expect(db.insertInto('project').values({ ...project, id: 'q', name: 'SHOP' }).execute()).rejects.toThrow('UNIQUE');
});

test('a transaction that fails leaves nothing', async () => {
  const failing = db.transaction().execute(async (trx) => {
    await trx.insertInto('organization').values(organization).execute();
    throw new Error('on purpose');
  });
  await expect(failing).rejects.toThrow('on purpose');
  expect(await db.selectFrom('organization').select('id').execute()).toEqual([]);
});

test('a directory can be opened twice at once, new as it may be', async () => {
  const fresh = join(dataDir, 'fresh');
  const both = await Promise.all([openDatabase(fresh), openDatabase(fresh)]);
  await both[0].insertInto('organization').values(organization).execute();
  expect(await both[1].selectFrom('organization').select('id').execute()).toEqual([{ id: 'o' }]);
  await Promise.all(both.map((one) => one.destroy()));
});

test('a transaction waits for another connection that writes, in this process too', async () => {
  const other = new DatabaseSync(join(dataDir, databaseFile));
  other.exec('BEGIN IMMEDIATE');
  const waiting = db.transaction().execute((trx) => trx.insertInto('organization').values(organization).execute());
  await setTimeout(1);
  other.exec('COMMIT');
  other.close();
  await waiting;
  expect(await db.selectFrom('organization').select('id').execute()).toEqual([{ id: 'o' }]);
});

test('the database of a newer program is left alone', async () => {
  await sql`INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-later', ${at})`.execute(db);
  await expect(openDatabase(dataDir)).rejects.toThrow(/9999-later/);
});
