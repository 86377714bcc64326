import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { terminalSource, type GuardStore } from '../../../../src/server/guard/index.ts';
import { quarterHour, start, waitingRecord } from './store-work.ts';

const hour = 60 * 60_000;

/** What an earlier program left: in a file of SQLite, and in a database of PostgreSQL. */
export const earlierStore = (kind: 'store' | 'database'): Promise<string> =>
  readFile(join(import.meta.dirname, '../../../fixtures/guard-0001', `${kind}.sql`), 'utf8');

/** Expects that everything is there, still counts, and can be gone on with. It uses some of it up. */
export async function expectEarlierState(store: GuardStore): Promise<void> {
  // The time that the earlier program used last.
  expect(await store.time(start - 4000)).toBe(start);
  const [{ record, seal }, decided] = [
    waitingRecord({ code: 'WAITING' }),
    waitingRecord({ code: 'DECIDED', identity: 'bob' }),
  ];
  expect(await store.waiting.undecided(start)).toEqual([{ record, seal }]);
  expect(await store.waiting.ofCall('deploy', start)).toEqual([
    {
      record: decided.record,
      seal: decided.seal,
      decision: { verdict: 'approved_on_page', signature: 'signature of DECIDED' },
    },
  ]);
  expect(
    [
      await store.waiting.withCode('DECIDED', start + quarterHour),
      await store.waiting.withCode('DECIDED', start + quarterHour + 1),
    ].map(({ length }) => length),
  ).toEqual([1, 0]);
  expect([
    await store.waiting.decide('DECIDED', 'refused', 'late'),
    await store.waiting.decide('WAITING', 'refused', 'signature'),
  ]).toEqual([false, true]);
  expect([await store.waiting.take('DECIDED'), await store.waiting.take('DECIDED')]).toEqual([true, false]);
  expect([
    await store.singleUses.use('open question', start),
    await store.singleUses.use('open question', start),
    await store.singleUses.use('answered question', start),
  ]).toEqual(['used', 'used_before', 'used_before']);
  expect([await store.highRiskCalls.nextAt(4, start), await store.highRiskCalls.nextAt(3, start)]).toEqual([
    undefined,
    start + hour,
  ]);
  expect([await store.secretTries.left('198.51.100.7'), await store.secretTries.left(terminalSource)]).toEqual([3, 4]);
  expect(await store.anchors.all()).toEqual([{ chain: 'chain-1', count: 7, sealed: 'sealed head' }]);
  await store.anchors.put({ chain: 'chain-1', count: 6, sealed: 'earlier head' });
  expect((await store.anchors.all())[0]?.count).toBe(7);
}
