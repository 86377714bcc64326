import { describe, expect, test } from 'vitest';
import { createTestStore, storeAtAddress } from '../../server/guard/storage/test-stores.ts';
import { addTo, quarterHour, waitingRecord } from '../../server/guard/storage/store-work.ts';

const hour = 60 * 60_000;

describe('the store of servers on PostgreSQL', () => {
  test('has the time of the database, whatever the clocks of its servers say', async () => {
    await using place = await createTestStore();
    const [early, late] = [storeAtAddress(place.address), storeAtAddress(place.address)];
    const now = await early.time(Date.now() - hour);
    const later = await late.time(Date.now() + hour);
    expect(later).toBeGreaterThanOrEqual(now);
    expect(later - now).toBeLessThan(hour / 2);
    // Nothing is dropped because one clock is behind another.
    await addTo(late, waitingRecord({ code: 'A', expiresAt: later + quarterHour }), later);
    const question = await late.singleUses.begin(Date.now() + hour, quarterHour);
    const seen = await early.time(Date.now() - hour);
    expect(await early.waiting.withCode('A', seen)).toHaveLength(1);
    expect(await early.singleUses.use(question, Date.now() - hour)).toBe('used');
    await Promise.all([early, late].map((store) => store.close()));
  });

  test('is set up once by many that open it at the same time', async () => {
    await using place = await createTestStore();
    const stores = Array.from({ length: 8 }, () => place.open());
    expect(await Promise.all(stores.map(({ waiting }) => waiting.countUndecided(0)))).toEqual(stores.map(() => 0));
  });

  test('goes on when its connections were cut, and loses nothing', async () => {
    await using place = await createTestStore();
    const store = place.open();
    const now = await store.time(Date.now());
    await addTo(store, waitingRecord({ code: 'A', expiresAt: now + quarterHour }), now);
    await place.cutConnections!();
    expect(await store.waiting.decide('A', 'approved', 'signature')).toBe(true);
    await place.cutConnections!();
    expect(await Promise.all(Array.from({ length: 5 }, () => store.waiting.take('A')))).toEqual(
      expect.arrayContaining([true, false]),
    );
  });
});
