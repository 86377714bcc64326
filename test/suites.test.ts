import { existsSync, globSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { endToEndInFast, filesOf, lists, suites, suitesIn, suitesOf } from './suites.ts';
import { readText, root } from './shipping/repository-files.ts';

const testFiles = globSync('test/**/*.test.ts', { cwd: root });

const runs = (list: (typeof lists)[number], file: string): boolean =>
  suitesIn(list).some((suite) => {
    const { include, exclude } = filesOf(suite, list);
    return (
      include.some((pattern) => matchesGlob(file, pattern)) && !exclude.some((pattern) => matchesGlob(file, pattern))
    );
  });

const makesFewer = (file: string): boolean => /\b(?:isLanding|someOf)\b/.test(readText(file));

describe('suites', () => {
  test('have every test file, each in one of them', () => {
    expect(testFiles.length).toBeGreaterThan(300);
    expect(testFiles.filter((file) => suitesOf(file).length !== 1)).toEqual([]);
  });

  test('name only files that there are', () => {
    const patterns = suites.flatMap(({ files = [], alsoRuns, landing }) => [
      ...files,
      ...Object.values(alsoRuns ?? {}).flat(),
      ...(typeof landing === 'object' ? (landing.without ?? []) : []),
    ]);
    const each = patterns.flatMap((pattern) => {
      const [, before, choices, after] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
      return choices === undefined ? [pattern] : choices.split(',').map((choice) => before! + choice + after!);
    });
    expect(each.filter((pattern) => !testFiles.some((file) => matchesGlob(file, pattern)))).toEqual([]);
  });

  test('leave to `npm test` only end-to-end tests that there are', () => {
    for (const [folder, names] of Object.entries(endToEndInFast)) {
      for (const name of names)
        expect(
          testFiles.filter((file) => matchesGlob(file, `${folder}/**/${name}.test.ts`)),
          name,
        ).toHaveLength(1);
    }
  });

  test('are all in the full list, with every test file', () => {
    expect(suitesIn('full')).toEqual(suites);
    expect(testFiles.filter((file) => !runs('full', file))).toEqual([]);
  });

  test('have a script, and a name of their own', () => {
    for (const { script } of suites) expect(Object.keys(manifest.scripts)).toContain(script);
    expect(new Set(suites.map(({ name }) => name)).size).toBe(suites.length);
  });

  test('say that they make fewer cases in the landing list, where their files do', () => {
    for (const file of testFiles.filter((each) => each !== 'test/suites.test.ts' && makesFewer(each))) {
      const [suite] = suitesOf(file);
      expect(suite!.landing, file).toHaveProperty('fewer');
    }
  });

  test('leave out of the landing list what is in the full one', () => {
    for (const suite of suitesIn('landing')) {
      expect(suites).toContain(suite);
      const { without = [] } = typeof suite.landing === 'object' ? suite.landing : {};
      for (const pattern of without)
        expect(
          suite.files!.some((own) => testFiles.some((file) => matchesGlob(file, pattern) && matchesGlob(file, own))),
          pattern,
        ).toBe(true);
    }
  });
});

test('each list has a script in .ci, from what both share', () => {
  for (const [file, list] of [
    ['run', 'landing'],
    ['full', 'full'],
  ] as const) {
    expect(existsSync(join(root, '.ci', file))).toBe(true);
    expect(readText(`.ci/${file}`).trim().split('\n').at(-1)).toBe(`exec "$(dirname "$0")/list" ${list}`);
  }
});
