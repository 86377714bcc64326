import { anything, array, assert, constantFrom, integer, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstPart, halfCharacterIn, lastPart, shortened, wellFormed } from '../../src/contract/index.ts';

/** Texts in which many characters take two code units. */
const wholeText = string({ unit: constantFrom('a', 'é', '📦', '😀', '👩‍💻') });

/** Texts with halves of characters in them. */
const brokenText = string({ unit: constantFrom('a', '📦', '\uD83D', '\uDCE6') });

describe('a text that is cut', () => {
  test('keeps whole characters, and no more than was asked for', () => {
    assert(
      property(wholeText, integer({ min: 0, max: 30 }), (text, most) => {
        const [first, last, short] = [firstPart(text, most), lastPart(text, most), shortened(text, most + 1)];
        for (const part of [first, last, short]) expect(part.isWellFormed()).toBe(true);
        expect(text.startsWith(first) && text.endsWith(last)).toBe(true);
        for (const part of [first, last]) {
          expect(part.length).toBeLessThanOrEqual(most);
          expect(part.length).toBeGreaterThanOrEqual(Math.min(text.length, most) - 1);
        }
        expect(short.length).toBeLessThanOrEqual(most + 1);
        expect(short).toBe(text.length <= most + 1 ? text : `${first}…`);
      }),
    );
  });

  test.each([
    ['a📦', 2, 'a', '📦'],
    ['a📦', 1, 'a', ''],
    ['📦a', 2, '📦', 'a'],
    ['📦', 0, '', ''],
    ['', 3, '', ''],
  ])('%j at %i', (text, most, first, last) => {
    expect([firstPart(text, most), lastPart(text, most)]).toEqual([first, last]);
  });
});

describe('a value with half characters', () => {
  test('has U+FFFD in their place, in texts and names at any depth', () => {
    expect(wellFormed({ 'a\uD83D': ['\uDCE6b', { c: '📦\uD83D', d: 1 }], e: null })).toEqual({
      'a\uFFFD': ['\uFFFDb', { c: '📦\uFFFD', d: 1 }],
      e: null,
    });
  });

  test('tells where the first one is', () => {
    expect(halfCharacterIn({ a: 'x', b: [{ c: '📦' }, { d: '\uDCE6' }] })).toEqual({
      path: ['b', 1, 'd'],
      codePoint: 'U+DCE6',
    });
    expect(halfCharacterIn({ a: { 'n\uD83D': 1 } })).toEqual({ path: ['a', 'n\uD83D'], codePoint: 'U+D83D' });
    expect(halfCharacterIn({ a: ['📦', 1, null, true] })).toBeUndefined();
  });

  test('any value is made well-formed, and left as it is if it was', () => {
    assert(
      property(anything({ values: [brokenText, integer()], key: brokenText }), array(wholeText), (value, whole) => {
        expect(halfCharacterIn(wellFormed(value))).toBeUndefined();
        expect(wellFormed(whole)).toBe(whole);
        if (halfCharacterIn(value) === undefined) expect(wellFormed(value)).toBe(value);
      }),
    );
  });
});
