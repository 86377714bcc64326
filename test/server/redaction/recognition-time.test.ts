import { expect, test } from 'vitest';
import { maskShapes } from '../../../src/server/redaction/recognition/index.ts';
import { beginnings } from './corpus/beginnings.ts';

const filled = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length));

// What reads again and again would take hours for so much.
test.each(beginnings)('%j many times is read in linear time', (part) => {
  const text = filled(part, 2_000_000);
  expect(maskShapes(text).length).toBeGreaterThan(0);
});
