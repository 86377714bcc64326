import { expect, test } from 'vitest';
import { relativeTime } from '../../src/transport/http/console/page-frame.ts';

const now = Date.parse('2026-11-20T10:00:00Z');

test.each([
  [0, 'less than a minute ago'],
  [-59_999, 'less than a minute ago'],
  [-60_000, '1 minute ago'],
  [-119_999, '1 minute ago'],
  [-59 * 60_000, '59 minutes ago'],
  [-3_600_000, '1 hour ago'],
  [-25 * 3_600_000, '1 day ago'],
  [-72 * 3_600_000, '3 days ago'],
  [1, 'in less than a minute'],
  [14.99 * 60_000, 'in 14 minutes'],
])('%d milliseconds from now is %s', (distance, text) => {
  expect(relativeTime(now + distance, now)).toBe(text);
});
