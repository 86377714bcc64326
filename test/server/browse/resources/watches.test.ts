import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  pollIntervalFor,
  type PollConditions,
  createWatches,
  mostWatched,
  type WatchTarget,
  type Watches,
} from '../../../../src/server/browse/resources/watches.ts';

const hour = 3_600_000;
const ordinary: PollConditions = { moving: false, requests: 1, failures: 0, now: 0, random: 0 };
const budgetOf = (remaining: number, resetAt = hour) => ({ limit: 1000, remaining, resetAt, seenAt: 0 });

describe('the time until the next look', () => {
  test('is short while something is under way, and longer again after its end', () => {
    expect(pollIntervalFor({ ...ordinary, moving: true })).toBeLessThan(pollIntervalFor(ordinary));
  });

  const anyBudget = fc.record({ remaining: fc.nat(1000), resetAt: fc.integer({ min: 1, max: hour }) });
  const any = fc.record({
    moving: fc.boolean(),
    requests: fc.integer({ min: 1, max: 200 }),
    failures: fc.nat(20),
    random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    budget: anyBudget,
  });

  test('grows as the budget shrinks, as more is watched, and as polls fail', () => {
    fc.assert(
      fc.property(any, fc.nat(500), ({ budget, ...rest }, more) => {
        const at = (changes: Partial<PollConditions>) =>
          pollIntervalFor({ ...ordinary, ...rest, budget: budgetOf(budget.remaining, budget.resetAt), ...changes });
        expect(at({ budget: budgetOf(Math.max(0, budget.remaining - more), budget.resetAt) })).toBeGreaterThanOrEqual(
          at({}),
        );
        expect(at({ requests: rest.requests + more })).toBeGreaterThanOrEqual(at({}));
        expect(at({ failures: rest.failures + 1 })).toBeGreaterThanOrEqual(at({}));
      }),
    );
  });

  test('takes at most half of what is left once it is not plenty, even while everything is under way', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 60_000, max: hour }),
        fc.integer({ min: 1, max: 100 }),
        (remaining, resetAt, requests) => {
          const wait = pollIntervalFor({ ...ordinary, moving: true, requests, budget: budgetOf(remaining, resetAt) });
          // Looks before the budget is whole again, if it went on like this.
          const looks = Math.ceil(resetAt / wait) - 1;
          expect(looks * requests).toBeLessThanOrEqual(remaining / 2);
        },
      ),
    );
  });

  test('is short for much that is under way while plenty is left, and never takes what people need for it', () => {
    const busy = { ...ordinary, moving: true, requests: 4 };
    expect(pollIntervalFor({ ...busy, budget: budgetOf(900) })).toBeLessThanOrEqual(3000);
    // An hour in which something is always under way.
    let [now, remaining] = [0, 1000];
    while (now < hour / 2) {
      now += pollIntervalFor({ ...busy, now, budget: budgetOf(remaining) });
      remaining -= busy.requests;
    }
    expect(remaining).toBeGreaterThan(250);
  });

  test('lasts until the budget is whole again when nothing is left', () => {
    expect(pollIntervalFor({ ...ordinary, budget: budgetOf(0, 90_000) })).toBeGreaterThanOrEqual(90_000);
  });
});

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

describe('watching', () => {
  let watches: Watches;
  let waits: PollConditions[];
  let state: string;
  let looks: number;

  const watchTarget = (key: string, changes: Partial<WatchTarget> = {}): WatchTarget => ({
    key,
    identity: 'ann',
    budgetKey: 'one token',
    requests: 1,
    budget: () => undefined,
    poll: async () => {
      looks += 1;
      return { state, moving: false, failed: state === 'broken' };
    },
    ...changes,
  });

  beforeEach(() => {
    vi.useFakeTimers();
    [waits, state, looks] = [[], 'calm', 0];
    watches = createWatches({
      clock: { now: Date.now },
      pollInterval: (circumstances) => (waits.push(circumstances), 1000),
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('looks once for all who listen, and tells each of every change', async () => {
    const listeners = Array.from({ length: 5 }, () => vi.fn<() => void>());
    for (const listener of listeners) watches.watch(watchTarget('one'), listener);
    await pass(3.5);
    expect(looks).toBe(4);
    expect(watches.size()).toBe(1);
    for (const listener of listeners) expect(listener).not.toHaveBeenCalled();
    state = 'stormy';
    await pass(3);
    for (const listener of listeners) expect(listener).toHaveBeenCalledTimes(1);
  });

  test('ends when nobody listens any more, even during a poll', async () => {
    const notify = vi.fn<() => void>();
    const pending = Promise.withResolvers<{ state: string; moving: boolean; failed: boolean }>();
    let signal: AbortSignal | undefined;
    const stops = [1, 2].map(() =>
      watches.watch(watchTarget('one', { poll: (given) => ((signal = given), pending.promise) }), notify)!,
    );
    stops[0]!();
    stops[0]!();
    expect(watches.size()).toBe(1);
    stops[1]!();
    expect(watches.size()).toBe(0);
    expect(signal?.aborted).toBe(true);
    pending.resolve({ state: 'late', moving: false, failed: false });
    await pass(10);
    expect(notify).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('tells that something can no longer be read, once, and has more patience with it', async () => {
    const notify = vi.fn<() => void>();
    watches.watch(watchTarget('one'), notify);
    await pass(0.5);
    state = 'broken';
    await pass(3);
    expect(notify).toHaveBeenCalledTimes(1);
    expect(waits.map(({ failures }) => failures)).toEqual([0, 1, 2, 3]);
  });

  test('tells nothing of a failure that passes at once', async () => {
    const notify = vi.fn<() => void>();
    watches.watch(watchTarget('one'), notify);
    await pass(0.5);
    state = 'broken';
    await pass(1);
    state = 'calm';
    await pass(3);
    expect(waits.map(({ failures }) => failures)).toEqual([0, 1, 0, 0, 0]);
    expect(notify).not.toHaveBeenCalled();
  });

  test('shares the budget of a credential among all that is watched on it, and of no other', async () => {
    for (const key of ['a', 'b']) watches.watch(watchTarget(key, { requests: 2 }), () => undefined);
    watches.watch(watchTarget('c', { budgetKey: 'another token', requests: 7 }), () => undefined);
    await pass(0);
    expect(waits.map(({ requests }) => requests)).toEqual([4, 4, 7]);
  });

  test('looks soon at all that is watched on a budget after a change on it, and often until it is over', async () => {
    let moving = false;
    const one = { state: 'calm', moving: false, failed: false };
    watches = createWatches({ clock: { now: Date.now }, random: () => 0 });
    const looked = { a: 0, b: 0, other: 0 };
    const count = (key: keyof typeof looked, changes: Partial<WatchTarget> = {}) =>
      watches.watch(
        watchTarget(key, {
          poll: async () => ((looked[key] += 1), { ...one, moving: key === 'a' && moving }),
          ...changes,
        }),
        () => undefined,
      );
    count('a');
    count('b');
    count('other', { budgetKey: 'another token' });
    await pass(1);
    expect(looked).toEqual({ a: 1, b: 1, other: 1 });
    watches.pollSoon('one token');
    moving = true;
    await pass(60);
    expect(looked.a).toBeGreaterThan(25);
    expect(looked.b).toBe(looked.a);
    expect(looked.other).toBeLessThan(8);
    moving = false;
    await pass(5);
    const before = looked.b;
    await pass(60);
    expect(looked.b - before).toBeLessThan(8);
  });

  test('refuses to watch too much for one principal, and leaves the others their own', () => {
    const all = Array.from({ length: mostWatched }, (_, index) =>
      watches.watch(watchTarget(`${index}`), () => undefined),
    );
    expect(all.filter((stop) => stop === undefined)).toEqual([]);
    expect(watches.watch(watchTarget('one too many'), () => undefined)).toBeUndefined();
    expect(watches.watch(watchTarget('0'), () => undefined)).toBeDefined();
    expect(watches.watch(watchTarget('another', { identity: 'bob' }), () => undefined)).toBeDefined();
    all[0]!();
  });
});
