import { expect, test } from 'vitest';
import { createRedaction, delimited, writeOutOddLetters } from '../../../src/server/redaction/index.ts';

test.each([
  ['a.'],
  ['a-'],
  ['eyJ-'],
  ['xx://a:'],
  ['token='],
  ['token: '],
  ['token: a'],
  ['--token '],
  ['--token-'],
  ['"token":"'],
  ['<'],
  ['< / '],
  ['\u001B['],
  ['\u001B]'],
  ['\u001B]8;;x'],
  ['\u009D'],
  ['\u001B[0;'],
])('a long run of %j is read in linear time', (part) => {
  const hostile = part.repeat(200_000);
  expect(delimited(createRedaction().text(hostile)).length).toBeGreaterThan(20);
});

test.each(['а', 'aа ', 'א', 'א ', '\u0301', '∕a', 'א-', '日a', 'хор '])(
  'odd letters of %j are written out in linear time',
  (part) => {
    expect(writeOutOddLetters(part.repeat(50_000)).length).toBeGreaterThan(0);
  },
);
