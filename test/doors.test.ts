import { globSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { roomOf } from './rooms.ts';

const root = join(import.meta.dirname, '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Names of an import or export, as written between its braces. */
const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const reExport = /^export (?<type>type )?(?:\{(?<names>[^}]*)\}|\*) from '(?<from>[^']+)';$/gm;
const declaration = /^export (?:async )?(?<kind>const|function|class|type|interface)\*? (?<name>\w+)/gm;

/** What a door exports under its own name: the file that it comes from. Types are marked as such. */
function exportsOf(door: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { groups } of textOf(door).matchAll(reExport)) {
    const { type, names, from } = groups!;
    const file = posix.join(posix.dirname(door), from!);
    if (names === undefined) {
      for (const { groups: own } of textOf(file).matchAll(declaration))
        found.set(['type', 'interface'].includes(own!['kind']!) ? `type ${own!['name']!}` : own!['name']!, file);
    } else {
      for (const name of namesIn(names)) found.set(type === undefined ? name : `type ${name}`, file);
    }
  }
  return found;
}

const known = new Map<string, ReadonlyMap<string, string>>();
const exportsAt = (door: string): ReadonlyMap<string, string> => {
  if (!known.has(door)) known.set(door, exportsOf(door));
  return known.get(door)!;
};

const importStatement = /^import (?<type>type )?\{(?<names>[^}]*)\} from '(?<from>\.[^']+)';$/gm;

/** The imports of a test, or of what tests share, that pass by a door which exports the same. */
function passingBy(path: string, source: string): string[] {
  return [...source.matchAll(importStatement)].flatMap(({ groups }) => {
    const { type, names, from } = groups!;
    const target = posix.join(posix.dirname(path), from!);
    const { door, lazy = [] } = roomOf(target) ?? {};
    if (door === undefined || door === target || lazy.includes(target)) return [];
    // A test may stand for one file.
    if (basename(path).replace(/(?:\.test)?\.ts$/, '') === basename(target, '.ts')) return [];
    const offered = exportsAt(door);
    const isOffered = (name: string): boolean =>
      offered.get(name) === target || (name.startsWith('type ') && offered.get(name.slice('type '.length)) === target);
    const asWritten = namesIn(names!).map((name) => name.replace(/ as .*/, ''));
    const wanted = type === undefined ? asWritten : asWritten.map((name) => `type ${name}`);
    return wanted.every(isOffered) ? [`${path} imports ${wanted.join(', ')} from ${target}: use ${door}`] : [];
  });
}

/** They replace modules that a door would load first. */
const replacesModules = (source: string): boolean => source.includes('vi.mock(') || source.includes('vi.doMock(');

/** An import from a file of the client. */
const imports = (names: string, file: string): string => `import { ${names} } from '../../src/client/${file}.ts';\n`;

describe('tests', () => {
  test('import what a room offers by its door', () => {
    const files = globSync('test/**/*.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
    expect(files.length).toBeGreaterThan(600);
    expect(
      files.flatMap((path) => {
        const source = textOf(path);
        return replacesModules(source) ? [] : passingBy(path, source);
      }),
    ).toEqual([]);
  });

  test('would be found otherwise, unless they stand for the file or the door does not offer everything', () => {
    expect(passingBy('test/client/some.test.ts', imports('ApiError', 'errors'))).toHaveLength(1);
    expect(passingBy('test/client/some.test.ts', imports('type ApiErrorKind', 'errors'))).toHaveLength(1);
    expect(passingBy('test/client/some.test.ts', imports('ApiError, notOffered', 'errors'))).toEqual([]);
    expect(passingBy('test/client/errors.test.ts', imports('ApiError', 'errors'))).toEqual([]);
  });
});
