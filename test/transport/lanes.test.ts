import { describe, expect, test } from 'vitest';
import { createLanes, type Release } from '../../src/transport/http/lanes.ts';

const patient = new AbortController().signal;
/** Settles after everything that is due now. */
const waits = (): Promise<string> => new Promise((resolve) => setImmediate(resolve, 'waits'));

const as = (identity: string, address = 'everywhere', principal = identity) => ({ principal, identity, address });

const unbounded = { callsPerIdentity: Number.POSITIVE_INFINITY, callsPerAddress: Number.POSITIVE_INFINITY, waitingPerIdentity: Number.POSITIVE_INFINITY, waitingPerAddress: Number.POSITIVE_INFINITY };
const limits = { ...unbounded, calls: 2, callsEach: 2, waitingEach: 100, waitingTime: 10_000 };

describe('lanes', () => {
  test('give turns to principals, not to calls', async () => {
    const lanes = createLanes(limits);
    const order: string[] = [];
    const running: Release[] = [];
    const call = async (principal: string): Promise<void> => {
      const release = await lanes.enter(as(principal), 1, patient);
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
    expect(await lanes.enter(as('ann'), 1, patient)).toBeDefined();
    const second = lanes.enter(as('ann'), 1, patient);
    expect(await lanes.enter(as('bob'), 1, patient)).toBeDefined();
    expect(await Promise.race([second, waits()])).toBe('waits');
  });

  test('send away whoever is one too many, or waits too long', async () => {
    const lanes = createLanes({ ...unbounded, calls: 1, callsEach: 1, waitingEach: 1, waitingTime: 20 });
    const release = await lanes.enter(as('ann'), 1, patient);
    const second = lanes.enter(as('ann'), 1, patient);
    expect(await lanes.enter(as('ann'), 1, patient)).toBeUndefined();
    expect(await second).toBeUndefined();
    release!();
    expect(await lanes.enter(as('ann'), 1, patient)).toBeDefined();
  });

  test('forget who gave up, and give a place back only once', async () => {
    const lanes = createLanes({ ...limits, calls: 1 });
    const release = await lanes.enter(as('ann'), 1, patient);
    const giveUp = new AbortController();
    const impatient = lanes.enter(as('ann'), 1, giveUp.signal);
    const next = lanes.enter(as('bob'), 1, patient);
    giveUp.abort();
    expect(await impatient).toBeUndefined();
    release!();
    release!();
    expect(await next).toBeDefined();
    expect(await Promise.race([lanes.enter(as('eve'), 1, patient), waits()])).toBe('waits');
  });

  test('count calls that come together one by one, running and waiting', async () => {
    const lanes = createLanes({ ...limits, calls: 10, callsEach: 4, waitingEach: 3 });
    const release = await lanes.enter(as('ann'), 3, patient);
    const two = lanes.enter(as('ann'), 2, patient);
    expect(await Promise.race([two, waits()])).toBe('waits');
    expect(await lanes.enter(as('ann'), 2, patient)).toBeUndefined();
    expect(await lanes.enter(as('ann'), 5, patient)).toBeUndefined();
    expect(await lanes.enter(as('bob'), 4, patient)).toBeDefined();
    release!();
    expect(await two).toBeDefined();
  });

  test('keep places for calls that come together when it is their turn, and only as long as they wait', async () => {
    const lanes = createLanes({ ...limits, calls: 3, callsEach: 3 });
    const [first, second] = [await lanes.enter(as('ann'), 1, patient), await lanes.enter(as('bob'), 1, patient)];
    const giveUp = new AbortController();
    const three = lanes.enter(as('eve'), 3, giveUp.signal);
    const late = lanes.enter(as('dan'), 1, patient);
    first!();
    expect(await Promise.race([late, waits()])).toBe('waits');
    giveUp.abort();
    expect(await three).toBeUndefined();
    expect(await late).toBeDefined();
    second!();
  });

  test('bound what comes from one address, whoever it is', async () => {
    const lanes = createLanes({ ...limits, calls: 10, callsPerAddress: 2, waitingPerAddress: 1 });
    const [first] = [await lanes.enter(as('ann', 'office'), 1, patient), await lanes.enter(as('bob', 'office'), 1, patient)];
    const waiting = lanes.enter(as('eve', 'office'), 1, patient);
    expect(await Promise.race([waiting, waits()])).toBe('waits');
    expect(await lanes.enter(as('dan', 'office'), 1, patient)).toBeUndefined();
    expect(await lanes.enter(as('dan', 'home'), 1, patient)).toBeDefined();
    first!();
    expect(await waiting).toBeDefined();
  });

  test('give an identity one turn, whatever it calls itself, and its principals turns within', async () => {
    const lanes = createLanes({ ...limits, calls: 1 });
    const order: string[] = [];
    const running: Release[] = [];
    const call = async ([identity, principal]: [string, string]): Promise<void> => {
      const release = await lanes.enter(as(identity, 'everywhere', principal), 1, patient);
      order.push(principal);
      running.push(release!);
    };
    const all = ([['team', 'greedy'], ['team', 'greedy'], ['team', 'greedy'], ['team', 'mate'], ['team', 'mate'], ['bob', 'bob'], ['bob', 'bob']] as [string, string][]).map(call);
    while (order.length < all.length) {
      await new Promise(setImmediate);
      running.shift()?.();
    }
    expect(order).toEqual(['greedy', 'greedy', 'bob', 'mate', 'bob', 'greedy', 'mate']);
  });

  test('bound the principals of an identity together', async () => {
    const lanes = createLanes({ ...limits, calls: 10, callsPerIdentity: 2, waitingPerIdentity: 1 });
    const enter = (principal: string) => lanes.enter(as('team', 'everywhere', principal), 1, patient);
    const [first] = [await enter('a'), await enter('b')];
    const waiting = enter('c');
    expect(await Promise.race([waiting, waits()])).toBe('waits');
    expect(await enter('d')).toBeUndefined();
    first!();
    expect(await waiting).toBeDefined();
  });
});
