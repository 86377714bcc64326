import { expect, test } from 'vitest';
import { age } from '../../src/contract/index.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.parse('2026-11-20T12:00:00Z');

test.each([
  [0, '0s ago'],
  [100, '100s ago'],
  [2 * minute, '2m ago'],
  [1.9 * hour, '114m ago'],
  [1.6 * day, '38h ago'],
  [2 * day, '2d ago'],
  [2.9 * day, '2d ago'],
  [-1.6 * day, 'in 38h'],
  [1 - 2 * day, 'in 2d'],
  [1 - 3 * day, 'in 3d'],
])('a time %d seconds before now is told as %s', (seconds, text) => {
  expect(age(now - seconds * 1000, now)).toBe(text);
});
