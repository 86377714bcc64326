import { describe, expect, test } from 'vitest';
import { createLanes, type Release } from '../../src/serve/http/lanes.ts';

const patient = new AbortController().signal;
/** Settles after everything that is due now. */
const waits = (): Promise<string> => new Promise((resolve) => setImmediate(resolve, 'waits'));

const limits = { calls: 2, callsEach: 2, waitingEach: 100, waitingTime: 10_000 };

describe('lanes', () => {
  test('give turns to principals, not to calls', async () => {
    const lanes = createLanes(limits);
    const order: string[] = [];
    const running: Release[] = [];
    const call = async (principal: string): Promise<void> => {
      const release = await lanes.enter(principal, patient);
      order.push(principal);
      running.push(release!);
    };
    const all = [...Array.from({ length: 6 }, () => 'greedy'), 'ann', 'bob', 'ann'].map(call);
    while (order.length < all.length) {
      await new Promise(setImmediate);
      running.shift()?.();
    }
    await Promise.all(all);
    expect(order).toEqual(['greedy', 'greedy', 'greedy', 'ann', 'bob', 'greedy', 'ann', 'greedy', 'greedy']);
  });

  test('keep one principal from taking all places', async () => {
    const lanes = createLanes({ ...limits, calls: 10, callsEach: 1 });
    expect(await lanes.enter('ann', patient)).toBeDefined();
    const second = lanes.enter('ann', patient);
    expect(await lanes.enter('bob', patient)).toBeDefined();
    expect(await Promise.race([second, waits()])).toBe('waits');
  });

  test('send away whoever is one too many, or waits too long', async () => {
    const lanes = createLanes({ calls: 1, callsEach: 1, waitingEach: 1, waitingTime: 20 });
    const release = await lanes.enter('ann', patient);
    const second = lanes.enter('ann', patient);
    expect(await lanes.enter('ann', patient)).toBeUndefined();
    expect(await second).toBeUndefined();
    release!();
    expect(await lanes.enter('ann', patient)).toBeDefined();
  });

  test('forget who gave up, and give a place back only once', async () => {
    const lanes = createLanes({ ...limits, calls: 1 });
    const release = await lanes.enter('ann', patient);
    const giveUp = new AbortController();
    const impatient = lanes.enter('ann', giveUp.signal);
    const next = lanes.enter('bob', patient);
    giveUp.abort();
    expect(await impatient).toBeUndefined();
    release!();
    release!();
    expect(await next).toBeDefined();
    expect(await Promise.race([lanes.enter('eve', patient), waits()])).toBe('waits');
  });
});
