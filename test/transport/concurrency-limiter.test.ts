import { describe, expect, test } from 'vitest';
import { createConcurrencyLimiter, type ReleaseSlots } from '../../src/transport/http/concurrency-limiter.ts';

const patient = new AbortController().signal;
/** Settles after everything that is due now. */
const waits = (): Promise<string> => new Promise((resolve) => setImmediate(resolve, 'waits'));

const as = (identity: string, address = 'everywhere', principal = identity) => ({ principal, identity, address });

const unbounded = {
  callsPerIdentity: Number.POSITIVE_INFINITY,
  callsPerAddress: Number.POSITIVE_INFINITY,
  waitingPerIdentity: Number.POSITIVE_INFINITY,
  waitingPerAddress: Number.POSITIVE_INFINITY,
};
const limits = { ...unbounded, calls: 2, callsPerPrincipal: 2, waitingPerPrincipal: 100, waitingTime: 10_000 };

describe('lanes', () => {
  test('give turns to principals, not to calls', async () => {
    const lanes = createConcurrencyLimiter(limits);
    const order: string[] = [];
    const running: ReleaseSlots[] = [];
    const call = async (principal: string): Promise<void> => {
      const release = await lanes.acquire(as(principal), 1, patient);
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
    const lanes = createConcurrencyLimiter({ ...limits, calls: 10, callsPerPrincipal: 1 });
    expect(await lanes.acquire(as('ann'), 1, patient)).toBeDefined();
    const second = lanes.acquire(as('ann'), 1, patient);
    expect(await lanes.acquire(as('bob'), 1, patient)).toBeDefined();
    expect(await Promise.race([second, waits()])).toBe('waits');
  });

  test('send away whoever is one too many, or waits too long', async () => {
    const lanes = createConcurrencyLimiter({
      ...unbounded,
      calls: 1,
      callsPerPrincipal: 1,
      waitingPerPrincipal: 1,
      waitingTime: 20,
    });
    const release = await lanes.acquire(as('ann'), 1, patient);
    const second = lanes.acquire(as('ann'), 1, patient);
    expect(await lanes.acquire(as('ann'), 1, patient)).toBeUndefined();
    expect(await second).toBeUndefined();
    release!();
    expect(await lanes.acquire(as('ann'), 1, patient)).toBeDefined();
  });

  test('forget who gave up, and give a place back only once', async () => {
    const lanes = createConcurrencyLimiter({ ...limits, calls: 1 });
    const release = await lanes.acquire(as('ann'), 1, patient);
    const giveUp = new AbortController();
    const impatient = lanes.acquire(as('ann'), 1, giveUp.signal);
    const next = lanes.acquire(as('bob'), 1, patient);
    giveUp.abort();
    expect(await impatient).toBeUndefined();
    release!();
    release!();
    expect(await next).toBeDefined();
    expect(await Promise.race([lanes.acquire(as('eve'), 1, patient), waits()])).toBe('waits');
  });

  test('count calls that come together one by one, running and waiting', async () => {
    const lanes = createConcurrencyLimiter({ ...limits, calls: 10, callsPerPrincipal: 4, waitingPerPrincipal: 3 });
    const release = await lanes.acquire(as('ann'), 3, patient);
    const two = lanes.acquire(as('ann'), 2, patient);
    expect(await Promise.race([two, waits()])).toBe('waits');
    expect(await lanes.acquire(as('ann'), 2, patient)).toBeUndefined();
    expect(await lanes.acquire(as('ann'), 5, patient)).toBeUndefined();
    expect(await lanes.acquire(as('bob'), 4, patient)).toBeDefined();
    release!();
    expect(await two).toBeDefined();
  });

  test('keep places for calls that come together when it is their turn, and only as long as they wait', async () => {
    const lanes = createConcurrencyLimiter({ ...limits, calls: 3, callsPerPrincipal: 3 });
    const [first, second] = [await lanes.acquire(as('ann'), 1, patient), await lanes.acquire(as('bob'), 1, patient)];
    const giveUp = new AbortController();
    const three = lanes.acquire(as('eve'), 3, giveUp.signal);
    const late = lanes.acquire(as('dan'), 1, patient);
    first!();
    expect(await Promise.race([late, waits()])).toBe('waits');
    giveUp.abort();
    expect(await three).toBeUndefined();
    expect(await late).toBeDefined();
    second!();
  });

  test('bound what comes from one address, whoever it is', async () => {
    const lanes = createConcurrencyLimiter({ ...limits, calls: 10, callsPerAddress: 2, waitingPerAddress: 1 });
    const [first] = [
      await lanes.acquire(as('ann', 'office'), 1, patient),
      await lanes.acquire(as('bob', 'office'), 1, patient),
    ];
    const waiting = lanes.acquire(as('eve', 'office'), 1, patient);
    expect(await Promise.race([waiting, waits()])).toBe('waits');
    expect(await lanes.acquire(as('dan', 'office'), 1, patient)).toBeUndefined();
    expect(await lanes.acquire(as('dan', 'home'), 1, patient)).toBeDefined();
    first!();
    expect(await waiting).toBeDefined();
  });

  test('give an identity one turn, whatever it calls itself, and its principals turns within', async () => {
    const lanes = createConcurrencyLimiter({ ...limits, calls: 1 });
    const order: string[] = [];
    const running: ReleaseSlots[] = [];
    const call = async ([identity, principal]: [string, string]): Promise<void> => {
      const release = await lanes.acquire(as(identity, 'everywhere', principal), 1, patient);
      order.push(principal);
      running.push(release!);
    };
    const all = (
      [
        ['team', 'greedy'],
        ['team', 'greedy'],
        ['team', 'greedy'],
        ['team', 'mate'],
        ['team', 'mate'],
        ['bob', 'bob'],
        ['bob', 'bob'],
      ] as [string, string][]
    ).map(call);
    while (order.length < all.length) {
      await new Promise(setImmediate);
      running.shift()?.();
    }
    expect(order).toEqual(['greedy', 'greedy', 'bob', 'mate', 'bob', 'greedy', 'mate']);
  });

  test('bound the principals of an identity together', async () => {
    const lanes = createConcurrencyLimiter({ ...limits, calls: 10, callsPerIdentity: 2, waitingPerIdentity: 1 });
    const enter = (principal: string) => lanes.acquire(as('team', 'everywhere', principal), 1, patient);
    const [first] = [await enter('a'), await enter('b')];
    const waiting = enter('c');
    expect(await Promise.race([waiting, waits()])).toBe('waits');
    expect(await enter('d')).toBeUndefined();
    first!();
    expect(await waiting).toBeDefined();
  });
});
