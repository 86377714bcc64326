import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Words that only insiders understood. The glossary in AGENTS.md has the terms that replaced them. */
const retired = [
  'act', 'acts', 'begun', 'desk', 'grave', 'graver', 'ground', 'judge', 'lab', 'lane', 'lanes', 'lens', 'letter', 'loose', 'mends', 'needless', 'pace', 'pin', 'pinned', 'purse',
  'rig', 'shelf', 'sight', 'admit', 'era', 'eras', 'insight', 'meanings', 'nature', 'need', 'put', 'stir', 'thing', 'things', 'tier', 'tiers', 'trail', 'trails', 'trouble', 'voice', 'voices',
];

const wordsOf = (name: string): string[] => (name.match(/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());

const exported = /^export (?:async )?(?:const|function\*?|class|interface|type) (?<name>\w+)/gm;

/** The file's name and the names it exports, without its folder. */
const namesIn = (file: string): string[] => [
  basename(file).replace(/\.ts$/, ''),
  ...[...readFileSync(join(root, file), 'utf8').matchAll(exported)].map(({ groups }) => groups!['name']!),
];

const files = (): string[] => spawnSync('git', ['ls-files', 'src', 'tools', 'test', 'bench', 'scripts'], { cwd: root, encoding: 'utf8' }).stdout.split('\n').filter((file) => file.endsWith('.ts'));

const retiredIn = (names: readonly string[]): string[] => names.filter((name) => wordsOf(name).some((word) => retired.includes(word)));

test('exported names and file names have no retired word', () => {
  expect(files().length).toBeGreaterThan(500);
  expect(files().flatMap((file) => retiredIn(namesIn(file)).map((name) => `${file}: ${name}`))).toEqual([]);
});

test.each(['graveTiers', 'begun', 'createDesk', 'held-up-lanes'])('would be told of %s', (name) => {
  expect(retiredIn([name])).toEqual([name]);
});

test('a name is exported by one file of the program only, so that it means one thing', () => {
  const program = files().filter((file) => /^(?:src|tools)\//.test(file) && !file.endsWith('/index.ts'));
  const homes = Map.groupBy(program.flatMap((file) => namesIn(file).slice(1).map((name) => ({ name, file }))), ({ name }) => name);
  const shared = [...homes].map(([name, all]) => [name, ...new Set(all.map(({ file }) => file))]).filter(([, ...where]) => where.length > 1);
  expect(shared).toEqual([]);
});

test('the glossary has at most 35 terms, each once', () => {
  const glossary = /## Glossary\n(?<table>[\s\S]*?)\n## /.exec(readFileSync(join(root, 'AGENTS.md'), 'utf8'))!.groups!['table']!;
  const terms = [...glossary.matchAll(/^\| (?<term>[^|]+) \|/gm)].flatMap(({ groups }) => groups!['term']!.split(', ')).filter((term) => term !== 'Term' && !term.startsWith('-'));
  expect(terms.length).toBeGreaterThan(20);
  expect(terms.length).toBeLessThanOrEqual(35);
  expect(new Set(terms).size).toBe(terms.length);
});
