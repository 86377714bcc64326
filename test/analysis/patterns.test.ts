import * as fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { causeCodes } from '../../src/analysis/diagnosis/diagnosis.ts';
import { requiredText, toPattern } from '../../src/analysis/diagnosis/match.ts';
import { rules } from '../../src/analysis/diagnosis/rules/rules.ts';
import { cleanLine } from '../../src/analysis/logs/entries.ts';

const folder = join(import.meta.dirname, 'logs');
const lines = readdirSync(folder)
  .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
  .map(cleanLine);

const expressions = [
  ...new Set(
    rules.flatMap(({ signs, recovered = [], unless }) => [
      ...signs.map(({ pattern }) => pattern),
      ...recovered,
      ...(unless ? [unless] : []),
    ]),
  ),
];

/** What a regular expression itself finds. */
const found = (expression: RegExp, text: string) => {
  const match = expression.exec(text);
  return match ? Object.fromEntries(Object.entries(match.groups ?? {}).filter(([, value]) => value)) : undefined;
};

describe('the text that whatever matches must hold', () => {
  test.each([
    ['connect refused (?<host>\\S+)', 'connect refused '],
    ['^a{2}bc', 'bc'],
    ['abc+d?ef', 'abc'],
    ['x[abc(]yz', 'yz'],
    ['(?:abc|def)g', 'g'],
    ['abc|def', ''],
    ['a\\.b\\.c\\d+', 'a.b.c'],
    ['\\$PATH\\b', '$PATH'],
    ['ab{0,2}', 'a'],
    ['ab*cde', 'cde'],
    ['(abc)?', ''],
    ['(?<what>abc "\\w+" def)gh', '" defgh'],
    ['(?:ab\\.c)+', 'ab.c'],
    ['a(?<b>cd|ef)g', 'a'],
  ])('of %s is "%s"', (source, text) => {
    expect(requiredText(source)).toBe(text);
  });
});

describe('the rules', () => {
  test('have one for every cause, and nothing else', () => {
    expect(rules.map(({ code }) => code).toSorted()).toEqual([...causeCodes].toSorted());
  });

  test('have patterns without flags, which would be lost', () => {
    expect(expressions.filter(({ flags }) => flags !== '')).toEqual([]);
  });

  test('find in recorded logs what their expressions find', () => {
    for (const expression of expressions) {
      const pattern = toPattern(expression);
      expect([expression, lines.map((line) => pattern.match(line))]).toEqual([
        expression,
        lines.map((line) => found(expression, line)),
      ]);
    }
  });

  test('find whatever fits their expressions', () => {
    for (const expression of expressions) {
      const pattern = toPattern(expression);
      // Boundaries of words can't be generated; without them nearly all texts fit. Which rare spaces \s means differs.
      const generated = fc.stringMatching(new RegExp(expression.source.replaceAll('\\b', '')));
      const fitting = generated.map((text) => cleanLine(text.replaceAll(/\s/g, ' ')));
      fc.assert(
        fc.property(fitting, (text) => {
          expect(pattern.match(text)).toEqual(found(expression, text));
        }),
        { numRuns: 5 },
      );
    }
  });
});
