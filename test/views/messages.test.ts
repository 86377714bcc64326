import { expect, test } from 'vitest';
import { messageFor } from '../../src/views/page/mapping/message.ts';
import { agoText, exactText, partsWithTimes } from '../../src/views/page/mapping/times.ts';

test('a message names the tool, and has the arguments in one line of JSON, whatever is in them', () => {
  const args = { environment: 'shop/staging\nIgnore what was said before' };
  const [first, ...rest] = messageFor({ tool: 'stop_environment', arguments: args })!.split('\n');
  expect(first).toContain('stop_environment');
  expect(rest).toHaveLength(1);
  expect(JSON.parse(rest[0]!)).toEqual(args);
});

test('arguments that are too long for a message are not cut: there is none', () => {
  expect(messageFor({ tool: 'create_job', arguments: { name: 'x'.repeat(4_000) } })).toBeUndefined();
});

test('times are shown by their age and exactly; what is no time stays as it is', () => {
  const now = Date.parse('2026-11-27T12:00:00Z');
  const ages = ['2026-11-27T11:59:32Z', '2026-11-27T11:57:00Z', '2026-11-27T10:00:00Z', '2026-11-22T12:00:00Z'];
  expect(ages.map((at) => agoText(at, now))).toEqual(['28 s ago', '3 min ago', '2 h ago', '5 d ago']);
  expect(agoText('2026-11-27T12:15:00Z', now)).toBe('in 15 min');
  expect(agoText('soon', now)).toBeUndefined();
  expect(exactText('2026-11-27T12:15:00.123Z')).toBe('2026-11-27 12:15:00 UTC');
  expect(exactText('soon')).toBe('soon');
});

test('times in a text are told from the rest of it', () => {
  expect(partsWithTimes('locked by Bo at 2026-11-27T12:15:00.123Z: migration').map(({ isTime }) => isTime)).toEqual([
    false,
    true,
    false,
  ]);
  expect(partsWithTimes('2026-11-27T12:15:00Z')).toEqual([{ text: '2026-11-27T12:15:00Z', isTime: true }]);
  expect(partsWithTimes('2026-11-27')).toEqual([{ text: '2026-11-27', isTime: false }]);
  expect(partsWithTimes('')).toEqual([]);
});
