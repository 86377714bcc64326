import { describe, expect, test } from 'vitest';
import { ephemeralHighRiskCalls, type HighRiskCalls } from '../../../src/server/guard/index.ts';
import { createTestStore } from './storage/test-stores.ts';

const minute = 60_000;

async function limits(calls: HighRiskCalls): Promise<void> {
  expect(await calls.take(2, 0)).toBeUndefined();
  expect(await calls.take(2, 10 * minute)).toBeUndefined();
  expect(await calls.nextAt(2, 20 * minute)).toBe(60 * minute);
  expect(await calls.take(2, 20 * minute)).toBe(60 * minute);
  // Looking counts nothing.
  expect(await calls.nextAt(3, 20 * minute)).toBeUndefined();
  expect(await calls.take(2, 60 * minute)).toBeUndefined();
  expect(await calls.nextAt(2, 61 * minute)).toBe(70 * minute);
  expect(await calls.nextAt(1, 61 * minute)).toBe(120 * minute);
  expect(await calls.nextAt(0, 61 * minute)).toBe(Infinity);
}

async function severalAtOnce(calls: HighRiskCalls): Promise<void> {
  expect(await calls.take(3, 0, 2)).toBeUndefined();
  expect(await calls.nextAt(3, minute, 1)).toBeUndefined();
  expect(await calls.take(3, minute, 2)).toBe(60 * minute);
  expect(await calls.take(3, minute, 1)).toBeUndefined();
  // Three fit once the last of those before is an hour old, four never.
  expect(await calls.nextAt(3, 2 * minute, 3)).toBe(61 * minute);
  expect(await calls.nextAt(3, 2 * minute, 4)).toBe(Infinity);
  expect(await calls.take(3, 61 * minute, 3)).toBeUndefined();
}

describe('grave calls in memory', () => {
  test('that are made together count each', () => severalAtOnce(ephemeralHighRiskCalls()));

  test('are counted for 60 minutes', () => limits(ephemeralHighRiskCalls()));
});

describe('grave calls in a store', () => {
  test('that are made together count each', async () => {
    await using store = await createTestStore();
    await severalAtOnce(store.open().highRiskCalls);
  });

  test('are counted together over all who share the store', async () => {
    await using store = await createTestStore();
    const openers = [store.open(), store.open()];
    await limits(openers[0]!.highRiskCalls);
    expect(await openers[1]!.highRiskCalls.nextAt(2, 61 * minute)).toBe(70 * minute);
    const many = await Promise.all(
      Array.from({ length: 10 }, (_, index) => openers[index % 2]!.highRiskCalls.take(5, 62 * minute)),
    );
    expect(many.filter((until) => until === undefined)).toHaveLength(3);
  });
});
