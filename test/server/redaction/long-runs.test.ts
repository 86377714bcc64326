import { expect, test } from 'vitest';
import { createRedaction, delimited } from '../../../src/server/redaction/index.ts';

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
