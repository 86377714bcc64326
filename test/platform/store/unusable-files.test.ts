import { mkdirSync, readFileSync, renameSync, rmdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openFile } from '../../../src/database/index.ts';
import { plainSystemError } from '../../../src/files/index.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'infra-mcp-unusable-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'text'), 'no database, but long enough to be looked at as one');
  mkdirSync(join(folder, 'full/of'), { recursive: true });
});

const thrownBy = (run: () => unknown): Error & { errcode?: number } => {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
};

test.each([
  ['full', /^The database \S+full can't be opened: this user can not open it or its folder, or there is none /, 14],
  ['missing/x', /^The database \S+missing\/x can't be opened: this user can not open it or its folder/, 14],
  ['text', /^The database \S+text can't be opened: it is not a database /, 26],
])('a database at %s is named, with the reason and the code of SQLite', (name, says, code) => {
  const error = thrownBy(() =>
    openFile(join(folder, name), {}, (database) => database.exec('PRAGMA journal_mode = WAL')),
  );
  expect(error.message).toMatch(says);
  expect(error.errcode).toBe(code);
});

test.each<[string, (path: string) => unknown, RegExp]>([
  ['missing', (path) => readFileSync(path), /^\S+missing can't be used: there is no such file or folder \(ENOENT\)\.$/],
  ['full', (path) => readFileSync(path), /can't be used: it is a folder \(EISDIR\)\.$/],
  ['full', (path) => rmdirSync(path), /^\S+full can't be used: the folder is not empty \(ENOTEMPTY\)\.$/],
  ['text/below', (path) => mkdirSync(path), /can't be used: a file is where a folder should be \(ENOTDIR\)\.$/],
  ['text', (path) => renameSync(path, `${path}/x`), /^\S+text or \S+text\/x can't be used: /],
])('an error of the system at %s is one sentence', (name, use, says) => {
  expect(plainSystemError(thrownBy(() => use(join(folder, name))))).toMatch(says);
});

test('what SQLite says later has a reason too', () => {
  using database = openFile(join(folder, 'records'));
  database.exec('CREATE TABLE one (id INTEGER); PRAGMA query_only = ON');
  expect(plainSystemError(thrownBy(() => database.exec('INSERT INTO one VALUES (1)')))).toMatch(
    /^A database failed: it is read-only for this user \(SQLite: .+\)\.$/,
  );
});

test('errors that were made for people stay as they are', () => {
  expect(plainSystemError(new Error('Give another name.'))).toBeUndefined();
  expect(plainSystemError(Object.assign(new Error('Give another name.'), { code: 'ENOENT' }))).toBeUndefined();
});
