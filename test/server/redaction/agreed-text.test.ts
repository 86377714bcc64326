import { assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agreedText, clean } from '../../../src/server/redaction/index.ts';
import { runs } from '../../support/runs.ts';

/** A text as somebody agrees to it, and what is told of it. */
function shown(raw: string) {
  const told = new Map<string, string>();
  return { text: agreedText(clean(raw), (what, meaning) => told.set(what, meaning)), told };
}

describe('a host', () => {
  test.each([
    [
      'https://аррӏе.com/x',
      'https://xn--80ak6aa92e.com/x',
      'xn--80ak6aa92e.com',
      'is given as <U+0430><U+0440><U+0440><U+04CF><U+0435>.com',
    ],
    [
      'git+ssh://git@münchen.example:22/x',
      'git+ssh://git@xn--mnchen-3ya.example:22/x',
      'xn--mnchen-3ya.example',
      'is given as münchen.example',
    ],
    ['http://①②⑦.0.0.1', 'http://①②⑦.0.0.1', '①②⑦.0.0.1', 'is looked up as 127.0.0.1'],
    ['https://évil⁵.example', 'https://évil⁵.example', 'évil⁵.example', 'is looked up as xn--vil5-9oa.example'],
  ])('of %s is shown in its own form and in ASCII', (raw, text, what, meaning) => {
    expect(shown(raw).text).toBe(text);
    expect(shown(raw).told.get(what)).toBe(meaning);
  });

  test.each([
    'cat x://$HOMEé;rm',
    'cat https://$HOMEé;rm',
    'x://é%C2%AD%E2%80%8Bz',
    'https://é%C2%AD%E2%80%8Bz',
    '@évil⁵',
    '@évil.txt',
    'https://',
  ])('is not seen in %s, which stays as it is', (raw) => {
    expect(shown(raw)).toEqual({ text: raw, told: new Map() });
  });
});

describe('is written out:', () => {
  test.each([
    ['a\u00A0b\u3000c\u2009d', 'a<U+00A0>b<U+3000>c<U+2009>d'],
    ['<!-- a --><b>c</b>', '<U+003C>!-- a --><U+003C>b>c<U+003C>/b>'],
    ['[a](https://b.example) ![c](d)', '[a]<U+0028>https://b.example) ![c]<U+0028>d)'],
    ['&lt;&#60;&#x3C;', '<U+0026>lt;<U+0026>#60;<U+0026>#x3C;'],
    [`a${' '.repeat(60)}b${'\n'.repeat(30)}c${'\t'.repeat(21)}`, 'a<60 spaces>b<30 line feeds>c<21 tabs>'],
  ])('%j', (raw, text) => expect(shown(raw).text).toBe(text));
});

test.each([
  ['a < b && c <3 > d'],
  ['f(x)[0] (y)'],
  [`a${' '.repeat(20)}b`],
  ['?a=1&b=2;'],
  ['p<U+0430>yments'],
  ['a\n\tb'],
])('stays as it is: %j', (text) => {
  expect(shown(text)).toEqual({ text, told: new Map() });
});

const blanks: Readonly<Record<string, string>> = { spaces: ' ', 'line feeds': '\n', tabs: '\t' };

/** The text that was shown, read back. */
const readBack = (text: string): string =>
  text
    .replaceAll(/<U\+([0-9A-F]+)>/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll(/<(\d+) (spaces|line feeds|tabs)>/g, (_, count: string, name: string) =>
      blanks[name]!.repeat(Number(count)),
    );

const anyText = string({
  unit: constantFrom(
    'a',
    'é',
    'ü',
    '⁵',
    '①',
    'ſ',
    '。',
    'а',
    '日',
    '\u00AD',
    '\u00A0',
    'https://',
    'x://',
    '@',
    '.',
    '.com',
    '/',
    '%',
    '$',
    ';',
    ' '.repeat(15),
    '\n',
    '&',
    'lt;',
    '](',
    '\uE000',
    'xn--',
  ),
});

test('nothing is lost, and nothing changes the second time', () => {
  assert(
    property(anyText, (raw) => {
      const { text, told } = shown(raw);
      expect(agreedText(text)).toBe(text);
      const given = [...told].flatMap(([what, meaning]) =>
        meaning.startsWith('is given as ') ? [[what, meaning.slice('is given as '.length)] as const] : [],
      );
      const restored = given
        .toSorted(([one], [other]) => other.length - one.length)
        .reduce(
          (all, [what, own]) =>
            all.replaceAll(
              new RegExp(`(?<=://(?:[^/]*@)?)${what.replaceAll('.', String.raw`\.`)}(?![a-z.-])`, 'g'),
              own,
            ),
          text,
        );
      expect(readBack(restored)).toBe(readBack(raw));
    }),
    { numRuns: runs(500) },
  );
});

test('takes linear time', () => {
  for (const part of ['https://é', 'https://', 'git+', 'é', '](', '<a', '&a', '\u00A0', ' ', '\n '])
    expect(agreedText(part.repeat(50_000)).length).toBeGreaterThan(0);
});
