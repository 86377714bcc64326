import { directoryForRecords } from '../../support/memory-directory.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AwaitedOutside } from '../../../src/database/index.ts';
import { platformSchema, type DataStore, type Db } from '../../../src/platform/store/index.ts';
import { databaseFile, openDatabase } from '../../../src/platform/store/sqlite/database.ts';

let dataDir: string;
let db: DataStore;

beforeEach(async () => {
  dataDir = await mkdtemp(join(directoryForRecords, 'infra-mcp-store-'));
  db = await openDatabase(dataDir);
});

afterEach(async () => {
  await db.destroy();
  await rm(dataDir, { recursive: true });
});

const at = '2026-01-01T00:00:00.000Z';
const organization = {
  id: 'o',
  created_at: at,
  updated_at: at,
  name: 'Example',
  description: null,
  plan: null,
  owner: null,
};
const project = { id: 'p', created_at: at, updated_at: at, organization_id: 'o', name: 'Shop', description: null };

const pragma = async (name: string) =>
  Object.values((await sql<Record<string, unknown>>`PRAGMA ${sql.raw(name)}`.execute(db)).rows[0]!)[0];

test('commits survive a power cut, and references hold', async () => {
  // 2 is FULL.
  expect([await pragma('journal_mode'), await pragma('synchronous'), await pragma('foreign_keys')]).toEqual([
    'wal',
    2,
    1,
  ]);
  await expect(db.insertInto('project').values(project).execute()).rejects.toThrow('FOREIGN KEY');
});

test('names that differ only in case can not stand side by side', async () => {
  await db.insertInto('organization').values(organization).execute();
  await db.insertInto('project').values(project).execute();
  await expect(
    db
      .insertInto('project')
      .values({ ...project, id: 'q', name: 'SHOP' })
      .execute(),
  ).rejects.toThrow('UNIQUE');
});

test('a transaction that fails leaves nothing', async () => {
  const failing = db.write(async (trx) => {
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
  const waiting = db.write((trx) => trx.insertInto('organization').values(organization).execute());
  await setTimeout(1);
  other.exec('COMMIT');
  other.close();
  await waiting;
  expect(await db.selectFrom('organization').select('id').execute()).toEqual([{ id: 'o' }]);
});

/** Records a step of a newer program. @param needed how many steps a program has to know from then on */
const addStep = (position: number, needed: number) =>
  sql`INSERT INTO platform_schema_step (name, position, compatible_since) VALUES (${`${position}-later`}, ${position}, ${needed})`.execute(
    db,
  );

test('the database of a newer program is used if this one can work beside it, and else left alone', async () => {
  const known = platformSchema.steps.length;
  await addStep(90, known);
  await (await openDatabase(dataDir)).destroy();
  await addStep(91, known + 2);
  await expect(openDatabase(dataDir)).rejects.toThrow(
    `platform records are of a newer version: they have ${known + 2} schema steps and need a program that knows at least ${known + 2}; this one knows ${known}. Nothing was changed.`,
  );
});

const names = async () =>
  (await db.selectFrom('organization').select('name').orderBy('name').execute()).map(({ name }) => name);

const add = (id: string) => (trx: Db) =>
  trx
    .insertInto('organization')
    .values({ ...organization, id, name: id })
    .execute();

describe('changes at the same time', () => {
  test('are committed together, and one that fails is undone alone', async () => {
    const seen: string[][] = [];
    const visible = async (): Promise<void> => {
      const rows = await db.reader.selectFrom('organization').select('id').orderBy('id').execute();
      seen.push(rows.map(({ id }) => id));
    };
    const failing = db.write(async (trx) => {
      await add('b')(trx);
      throw new Error('refused');
    });
    const others = ['a', 'c', 'd'].map(async (id) => db.write(add(id)).then(visible));
    await expect(failing).rejects.toThrow('refused');
    await Promise.all(others);
    expect(seen).toEqual(Array.from({ length: 3 }, () => ['a', 'c', 'd']));
  });

  test('see what those before them changed, and are as many as it takes', async () => {
    const counts = await Promise.all(
      Array.from({ length: 100 }, async (_, index) =>
        db.write(async (trx) => {
          await add(`o${index}`)(trx);
          return (await trx.selectFrom('organization').select('id').execute()).length;
        }),
      ),
    );
    expect(counts).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  test('are made one by one if they can not be committed together', async () => {
    const unfounded = db.write(async (trx) => {
      await sql`PRAGMA defer_foreign_keys = ON`.execute(trx);
      await trx.insertInto('project').values(project).execute();
    });
    const results = await Promise.allSettled([db.write(add('a')), unfounded, db.write(add('b'))]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await names()).toEqual(['a', 'b']);
  });

  test('can not use their transaction once it is the turn of others', async () => {
    let kept: Db | undefined;
    await Promise.all([
      db.write(async (trx) => {
        kept = trx;
      }),
      db.write(add('a')),
    ]);
    await expect(add('late')(kept!)).rejects.toThrow('already committed');
    expect(await names()).toEqual(['a']);
  });
});

describe('a transaction that waits for something outside the database', () => {
  test('is undone, and the next one does not wait for it', async () => {
    const outside = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const waiting = db.write(async (trx) => {
      await trx.insertInto('organization').values(organization).execute();
      await outside.promise;
      late.resolve(
        trx
          .insertInto('organization')
          .values({ ...organization, id: 'late', name: 'Late' })
          .execute(),
      );
    });
    const next = db.write((trx) =>
      trx
        .insertInto('organization')
        .values({ ...organization, id: 'next', name: 'Next' })
        .execute(),
    );
    await expect(waiting).rejects.toThrow(AwaitedOutside);
    await next;
    expect(await names()).toEqual(['Next']);
    outside.resolve();
    await expect(late.promise).rejects.toThrow('rolled back');
    expect(await names()).toEqual(['Next']);
  });

  test('is told so where it only reads, and where it asks the store instead of itself', async () => {
    await expect(db.read(() => setTimeout(1))).rejects.toThrow(AwaitedOutside);
    await expect(db.write(() => db.selectFrom('organization').select('id').execute())).rejects.toThrow(AwaitedOutside);
  });

  test('is none that takes long by itself', async () => {
    const many = Array.from({ length: 2000 }, (_, index) => index);
    await db.write(async (trx) => {
      for (const index of many)
        await trx
          .insertInto('organization')
          .values({ ...organization, id: `o${index}`, name: `Example ${index}` })
          .execute();
    });
    expect(
      await db.read(async (trx) =>
        Promise.all(
          many.map((index) =>
            trx.selectFrom('organization').select('id').where('id', '=', `o${index}`).executeTakeFirst(),
          ),
        ),
      ),
    ).toHaveLength(many.length);
  });
});

const count = async (trx: Db) => (await trx.selectFrom('organization').select('id').execute()).length;

describe('reads', () => {
  test('take no write lock: they answer while another connection holds it and a write waits', async () => {
    await db.insertInto('organization').values(organization).execute();
    const answered: string[] = [];
    const other = new DatabaseSync(join(dataDir, databaseFile));
    other.exec(`BEGIN IMMEDIATE; UPDATE organization SET name = 'Other'`);
    const write = db
      .write((trx) => trx.updateTable('organization').set({ name: 'Mine' }).execute())
      .then(() => answered.push('write'));
    await setTimeout(20);
    answered.push(
      ...(await db.read((trx) => trx.selectFrom('organization').select('name').execute())).map(({ name }) => name),
    );
    other.exec('COMMIT');
    other.close();
    await write;
    expect(answered).toEqual(['Example', 'write']);
    expect(await names()).toEqual(['Mine']);
  });

  test('that belong together see one moment', async () => {
    const other = new DatabaseSync(join(dataDir, databaseFile));
    const counts = await db.read(async (trx) => {
      const before = await count(trx);
      other.exec(
        `INSERT INTO organization (id, created_at, updated_at, name) VALUES ('o', '${at}', '${at}', 'Example')`,
      );
      return [before, await count(trx)];
    });
    other.close();
    expect([...counts, await db.read(count)]).toEqual([0, 0, 1]);
  });

  test('can not write', async () => {
    await expect(db.read((trx) => trx.insertInto('organization').values(organization).execute())).rejects.toThrow(
      'readonly',
    );
    expect(await names()).toEqual([]);
  });
});
