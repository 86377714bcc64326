import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');

/** The folders that may speak of a database, and the words that nobody else may use. */
const databases = [
  {
    home: 'src/platform/store/sqlite/',
    words:
      /node:sqlite|\bpragma\b|\bjson_(?:extract|each|set|valid|type|group_array)\b|\bnocase\b|\bstrftime\b|\browid\b|\bsqlite_(?:master|schema)\b|\bautoincrement\b|begin immediate/i,
  },
  {
    home: 'src/platform/store/postgres/',
    words:
      /['"]pg['"]|\bpg_\w+|\bplpgsql\b|\bjsonb\b|\btimestamptz\b|\bilike\b|for update|skip locked|\.for(?:Update|Share)\(|\.skipLocked\(|\badvisory_?lock/i,
  },
];

/** The source without comments. */
const withoutComments = (source: string): string => source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

const files = readdirSync(join(root, 'src/platform'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => posix.join('src/platform', name.replaceAll('\\', '/')));

/** The words of a database that a file has and may not have. */
const foreignWords = (path: string, source: string): string[] =>
  databases
    .filter(({ home }) => !path.startsWith(home))
    .flatMap(({ words }) => words.exec(withoutComments(source))?.[0] ?? []);

describe('what is particular to one database', () => {
  test('is seen in the folder of that database only', () => {
    // What runs databases for people speaks of them, and keeps nothing in them.
    const others = files.filter((path) => !path.startsWith('src/platform/runtime/'));
    expect(others.length).toBeGreaterThan(150);
    expect(
      others.flatMap((path) =>
        foreignWords(path, readFileSync(join(root, path), 'utf8')).map((word) => `${path}: ${word}`),
      ),
    ).toEqual([]);
  });

  test.each([
    ['src/platform/api/tokens.ts', "import { DatabaseSync } from 'node:sqlite';"],
    ['src/platform/engine/retention-queue.ts', 'await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(db);'],
    ['src/platform/api/handlers/rows.ts', "sql`json_extract(spec, '$.source')`"],
    ['src/platform/store/settings.ts', "import pg from 'pg';"],
    ['src/platform/engine/deployment-queue.ts', 'query.forUpdate().skipLocked()'],
    ['src/platform/store/sqlite/connection.ts', "sql`select pg_notify('work', '')`"],
  ])('would be told of %s: %s', (path, source) => {
    expect(foreignWords(path, source)).toHaveLength(1);
  });
});
