import { assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeOutOddLetters } from '../../../src/server/redaction/index.ts';
import { runs } from '../../support/runs.ts';

const notesOn = (text: string): string[] => {
  const notes: string[] = [];
  writeOutOddLetters(text, (what, meaning) => notes.push(`${what} ${meaning}`));
  return notes;
};

describe('stays as it is:', () => {
  test.each([
    'payments',
    'Größe',
    'naïve',
    'Đà Nẵng',
    'ısıtıcı',
    'l·l',
    'платежи',
    'магазин/прод/хор',
    'тест-сервер',
    'Ёлка',
    'Як сказати?',
    'κατάστημα',
    'պահեստ',
    'ქართული',
    '決済サービス',
    'API設定',
    'ＡＰＩ設定',
    '結帳服務',
    '注意：此处',
    '결제서비스',
    '결제API',
    'ラーメン・カレー',
    'ㄅㄆㄇ文',
    'متجر الكتب',
    'חנות/ספרים',
    'भुगतान',
    'การชำระเงิน',
    'བསྒྲུབས',
    'ငွေပေးချေမှု',
    'កម្ពុជា',
    'பணம்',
    'my_переменная',
    'deploy вечером',
    'the value is 10µs, 5–10 m²',
    '1ª vez',
    'emoji 📦 👩‍💻',
    'e\u0301a\u0302\u0323',
  ])('%s', (text) => {
    expect(writeOutOddLetters(text)).toBe(text);
    expect(notesOn(text)).toEqual([]);
  });
});

describe('is written out:', () => {
  test.each([
    ['p\u0430yments', 'p<U+0430>yments', '<U+0430> is not the Latin a, but Cyrillic'],
    ['\u0440\u0430\u0443pal', '<U+0440><U+0430><U+0443>pal', '<U+0440> is not the Latin p, but Cyrillic'],
    ['\u03BFrders', '<U+03BF>rders', '<U+03BF> is not the Latin o, but Greek'],
    ['\u0585rders', '<U+0585>rders', '<U+0585> is not the Latin o, but Armenian'],
    ['сервисL', 'сервис<U+004C>', '<U+004C> is Latin, unlike its word'],
    ['na\u0451ve', 'na<U+0451>ve', '<U+0451> is not the Latin ë, but Cyrillic'],
    ['日本а', '日本<U+0430>', '<U+0430> is not the Latin a, but Cyrillic'],
    // Only Cyrillic letters, but nothing says that Cyrillic is meant.
    [
      'registry.example/\u0430\u0440\u0440\u0441/web',
      'registry.example/<U+0430><U+0440><U+0440><U+0441>/web',
      '<U+0430> is not the Latin a, but Cyrillic',
    ],
    ['\u{1D41A}pi', '<U+1D41A>pi', '<U+1D41A> is not the Latin a'],
    ['ａpi', '<U+FF41>pi', '<U+FF41> is not the Latin a'],
    ['\u0251pi', '<U+0251>pi', '<U+0251> is not the Latin a'],
    ['good.example\u2215evil', 'good.example<U+2215>evil', '<U+2215> is not "/"'],
    ['good\u30CEevil', 'good<U+30CE>evil', '<U+30CE> is not "/"'],
    ['web\u20111', 'web<U+2011>1', '<U+2011> is not "-"'],
    ['https://good.example\uFF20evil.example', 'https://good.example<U+FF20>evil.example', '<U+FF20> is not "@"'],
    ['shop\u4E00prod', 'shop<U+4E00>prod', '<U+4E00> is not "-"'],
    ['z\u0301\u0302\u0303\u0304', 'z\u0301\u0302<U+0303><U+0304>', '<U+0303> is a mark on the letter before it'],
    ['shop/\u0338prod', 'shop/<U+0338>prod', '<U+0338> is a mark on the letter before it'],
    ['\u05D0\u05D18080', '<U+05D0><U+05D1>8080', '<U+05D0> is Hebrew, written from right to left'],
    ['\u0645:8080', '<U+0645>:8080', '<U+0645> is Arabic, written from right to left'],
    ['\u{10414}', '<U+10414>', '<U+10414> is of a script that is hardly written today'],
    ['abc\u0663', 'abc<U+0663>', '<U+0663> is Arabic, unlike its word'],
  ])('%j', (text, shown, note) => {
    expect(writeOutOddLetters(text)).toBe(shown);
    expect(notesOn(text)).toContain(note);
  });
});

test('a name that only looks Latin stays, and is told', () => {
  expect(writeOutOddLetters('\u0441\u043E\u0440')).toBe('\u0441\u043E\u0440');
  expect(notesOn('\u0441\u043E\u0440')).toEqual(['сор is Cyrillic, and looks Latin']);
});

const anyText = string({
  unit: constantFrom(
    'a',
    'L',
    'U',
    '0',
    '7',
    ' ',
    '/',
    '.',
    '<',
    '\n',
    'а',
    'р',
    'д',
    'ο',
    'σ',
    '日',
    'ノ',
    'カ',
    '한',
    'א',
    'م',
    '٣',
    '\u0301',
    '\u0338',
    '∕',
    '‑',
    'ａ',
    '𝐚',
    '📦',
    'ё',
  ),
});

test('nothing is lost, and nothing changes the second time', () => {
  assert(
    property(anyText, (text) => {
      const shown = writeOutOddLetters(text);
      expect(writeOutOddLetters(shown)).toBe(shown);
      if (!text.includes('<'))
        expect(
          shown.replaceAll(/<U\+([0-9A-F]+)>/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16))),
        ).toBe(text);
    }),
    { numRuns: runs(500) },
  );
});
