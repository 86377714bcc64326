import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { exportCounts, sqliteGuardStore } from '../../../../src/server/guard/index.ts';
import { temporaryFolder } from '../../audit/audit-log.ts';
import { earlierStore, expectEarlierState } from './earlier-state.ts';
import { addTo, start, waitingRecord } from './store-work.ts';

/** The file of an earlier program. @param more statements on top of what it stored */
async function earlierFile(more = '') {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'guard.sqlite');
  const database = new DatabaseSync(path);
  database.exec(await earlierStore('store'));
  database.exec(more);
  return {
    path,
    /** The connection of the earlier program, which runs on. */
    earlier: database,
    [Symbol.asyncDispose]: async () => {
      database.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe('the file of an earlier program', () => {
  test('keeps everything that waits and counts', async () => {
    await using file = await earlierFile();
    const store = sqliteGuardStore(file.path);
    await expectEarlierState(store);
    await store.close();
  });

  test('of the first programs, which knew neither identities nor where tries came from, does too', async () => {
    await using file = await earlierFile(`ALTER TABLE wrong_secret DROP COLUMN source;
      UPDATE pending SET record = json_object('code', code, 'principal', 'ann')`);
    const store = sqliteGuardStore(file.path);
    expect(await store.secretTries.left('')).toBe(2);
    // Two wait already, one of them decided.
    for (let count = 1; count < 20; count += 1)
      expect(await addTo(store, waitingRecord({ code: `A${count}` }))).toEqual({ kind: 'added' });
    expect(await addTo(store, waitingRecord({ code: 'B' }))).toEqual({ kind: 'too_many_of_caller' });
    await store.close();
  });

  test('is taken over once by many that open it at the same time', async () => {
    await using file = await earlierFile();
    const stores = Array.from({ length: 6 }, () => sqliteGuardStore(file.path));
    expect(await Promise.all(stores.map(({ waiting }) => waiting.countUndecided(start)))).toEqual(stores.map(() => 1));
    await expectEarlierState(stores[3]!);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('takes nothing more from an earlier program, which is told why, whether it runs on or starts later', async () => {
    await using file = await earlierFile();
    const store = sqliteGuardStore(file.path);
    await store.time(start);
    using later = new DatabaseSync(file.path);
    later.exec(
      await earlierStore('store').then((text) =>
        text
          .match(/CREATE TABLE [^;]*;/g)!
          .join('')
          .replaceAll('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS'),
      ),
    );
    const statements = [
      'INSERT INTO latest_time (at) VALUES (1)',
      'INSERT INTO grave_call (at) VALUES (1)',
      'INSERT INTO wrong_secret (at) VALUES (1)',
      "INSERT INTO single_use (id, expires_at) VALUES ('a', 1)",
      "INSERT INTO pending VALUES ('a', 'a', '{}', 'a', 1)",
      "INSERT INTO chain_anchor (chain, entries, sealed) VALUES ('a', 1, 'a') ON CONFLICT (chain) DO UPDATE SET entries = excluded.entries",
    ];
    for (const earlier of [file.earlier, later])
      for (const statement of statements)
        expect(() => earlier.exec(statement), statement).toThrow(
          'Nothing was changed. Start the newer version of infra-mcp.',
        );
    expect(file.earlier.prepare('SELECT count(*) AS n FROM pending').get()).toEqual({ n: 0 });
    await expectEarlierState(store);
    await store.close();
  });

  test('stays as it is where its counts are only read', async () => {
    await using file = await earlierFile();
    const before = file.earlier.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all();
    expect(await exportCounts(file.path, start)).toEqual({
      latest: start,
      highRiskCalls: [start, start, start],
      waitingCalls: 2,
      secretTries: [
        { at: start, source: '198.51.100.7' },
        { at: start, source: '198.51.100.7' },
        { at: start, source: 'terminal' },
      ],
    });
    expect(file.earlier.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()).toEqual(before);
    expect(file.earlier.prepare('SELECT count(*) AS n FROM pending').get()).toEqual({ n: 2 });
  });

  test("that can't be taken over stays as it was", async () => {
    await using file = await earlierFile('CREATE TABLE guard_single_use (id)');
    const store = sqliteGuardStore(file.path);
    await expect(store.time(start)).rejects.toThrow('already exists');
    expect(file.earlier.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'guard%'").all()).toEqual([
      { name: 'guard_single_use' },
    ]);
    file.earlier.exec('DROP TABLE guard_single_use');
    await expectEarlierState(store);
    await store.close();
  });
});

/** Records a step of a newer program. @param needed how many steps a program has to know from then on */
function addStep(path: string, position: number, needed: number): void {
  using database = new DatabaseSync(path);
  database
    .prepare('INSERT INTO guard_schema_step (name, position, compatible_since) VALUES (?, ?, ?)')
    .run(`${position}-later`, position, needed);
}

describe('the file of a newer program', () => {
  test('is used as long as this one can work beside it; then nothing is changed and the reason told', async () => {
    await using file = await earlierFile();
    const store = sqliteGuardStore(file.path);
    await store.time(start);
    addStep(file.path, 90, 1);
    expect(await addTo(store, waitingRecord({ code: 'A' }))).toEqual({ kind: 'added' });
    addStep(file.path, 91, 92);
    const reason =
      /guard records are of a newer version: they have 6 schema steps and need a program that knows at least 92; this one knows 4\. Nothing was changed\. Start the newer version/;
    await expect(addTo(store, waitingRecord({ code: 'B' }))).rejects.toThrow(reason);
    await expect(store.waiting.countUndecided(start)).rejects.toThrow(reason);
    await store.close();
    await expect(sqliteGuardStore(file.path).time(start)).rejects.toThrow(reason);
    expect(file.earlier.prepare('SELECT count(*) AS n FROM guard_waiting').get()).toEqual({ n: 3 });
  });
});
