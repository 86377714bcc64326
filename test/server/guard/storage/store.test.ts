import { describe, expect, test } from 'vitest';
import { maximumWaiting, type FoundRecord } from '../../../../src/server/guard/storage/waiting-records.ts';
import { terminalSource } from '../../../../src/server/guard/index.ts';
import { createTestStore } from './test-stores.ts';
import { addTo, quarterHour, start, waitingRecord } from './store-work.ts';

const hour = 60 * 60_000;

const codesOf = (found: readonly FoundRecord[]): string[] =>
  found.map(({ record }) => (JSON.parse(record) as { code: string }).code);

/** A store with two openers, as in two processes. */
async function openTwice() {
  const testStore = await createTestStore();
  const [one, other] = [testStore.open(), testStore.open()];
  return { one, other, [Symbol.asyncDispose]: () => testStore[Symbol.asyncDispose]() };
}

describe('the time of a store', () => {
  test('is never before one that anybody used, small steps apart', async () => {
    await using stores = await openTwice();
    expect(await stores.one.time(start)).toBe(start);
    expect(await stores.other.time(start - 5000)).toBe(start);
    expect(await stores.other.time(start + hour)).toBe(start + hour);
    expect(await stores.one.time(start + hour - 1)).toBe(start + hour);
  });

  test('follows a clock that steps back, and what waits is dropped', async () => {
    await using stores = await openTwice();
    await stores.one.time(start);
    await addTo(stores.one, waitingRecord({ code: 'A' }));
    await stores.one.waiting.decide('A', 'approved', 'signature');
    const question = await stores.one.singleUses.begin(start, quarterHour);
    expect(await stores.other.time(start - hour)).toBe(start - hour);
    expect(await stores.one.waiting.withCode('A', start - hour)).toEqual([]);
    expect(await stores.one.singleUses.use(question, start - hour)).toBe('unknown');
  });
});

describe('a waiting call', () => {
  test('is found under its code and by its call until it expires', async () => {
    await using stores = await openTwice();
    const record = waitingRecord({ code: 'A', call: 'stop' });
    expect(await addTo(stores.one, record)).toEqual({ kind: 'added' });
    const found = [{ record: record.record, seal: record.seal }];
    const { waiting } = stores.other;
    expect([
      await waiting.withCode('A', start),
      await waiting.ofCall('stop', start),
      await waiting.undecided(start),
    ]).toEqual([found, found, found]);
    expect([await waiting.withCode('B', start), await waiting.ofCall('A', start)]).toEqual([[], []]);
    const end = record.expiresAt;
    expect(await waiting.withCode('A', end - 1)).toEqual(found);
    expect([
      await waiting.withCode('A', end),
      await waiting.ofCall('stop', end),
      await waiting.undecided(end),
      await waiting.countUndecided(end),
    ]).toEqual([[], [], [], 0]);
    expect(await waiting.dropExpired(end - 1)).toBe(0);
    expect(await waiting.dropExpired(end)).toBe(1);
    expect(await waiting.dropExpired(end)).toBe(0);
  });

  test('keeps each byte of its record', async () => {
    await using stores = await openTwice();
    const record = '{"b":1, "a": "é\\u0000 \u{1F980}\\n",  "a":2}';
    await addTo(stores.one, { ...waitingRecord({ code: 'A' }), record });
    expect((await stores.other.waiting.withCode('A', start))[0]?.record).toBe(record);
  });

  test('is listed in the order of its expiry, page by page', async () => {
    await using stores = await openTwice();
    for (const [index, code] of ['C', 'A', 'B', 'D'].entries())
      await addTo(stores.one, waitingRecord({ code, expiresAt: start + [3, 1, 2, 3][index]! * 1000 }));
    const { waiting } = stores.other;
    expect(codesOf(await waiting.undecided(start))).toEqual(['A', 'B', 'C', 'D']);
    expect(codesOf(await waiting.undecided(start, { newestFirst: true }))).toEqual(['D', 'C', 'B', 'A']);
    expect(codesOf(await waiting.undecided(start, { skip: 1, most: 2 }))).toEqual(['B', 'C']);
    expect(codesOf(await waiting.undecided(start + 1000, { skip: 2 }))).toEqual(['D']);
    await waiting.decide('B', 'refused', 'signature');
    expect(codesOf(await waiting.undecided(start))).toEqual(['A', 'C', 'D']);
    expect(await waiting.countUndecided(start)).toBe(3);
  });

  test('is not added where the caller finds it present', async () => {
    await using stores = await openTwice();
    for (const code of ['A', 'B']) await addTo(stores.one, waitingRecord({ code, call: 'stop' }));
    const seen: string[][] = [];
    const added = await stores.other.waiting.add(waitingRecord({ code: 'C', call: 'stop' }), start, (found) => {
      seen.push(codesOf(found));
      return 'B';
    });
    expect({ added, seen }).toEqual({ added: { kind: 'present', code: 'B' }, seen: [['A', 'B']] });
    expect(await stores.one.waiting.withCode('C', start)).toEqual([]);
  });

  test('is added once of many at the same time', async () => {
    await using stores = await openTwice();
    const added = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        [stores.one, stores.other][index % 2]!.waiting.add(
          waitingRecord({ code: `A${index}`, call: 'stop' }),
          start,
          (found) => codesOf(found)[0],
        ),
      ),
    );
    expect(added.filter(({ kind }) => kind === 'added')).toHaveLength(1);
    const [code] = codesOf(await stores.one.waiting.undecided(start));
    expect(added.filter(({ kind }) => kind === 'present')).toEqual(
      Array.from({ length: 11 }, () => ({ kind: 'present', code })),
    );
  });

  test('counts against its caller, over all at the same time', async () => {
    await using stores = await openTwice();
    const added = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        addTo([stores.one, stores.other][index % 2]!, waitingRecord({ code: `A${index}` })),
      ),
    );
    expect(added.filter(({ kind }) => kind === 'added')).toHaveLength(maximumWaiting.each);
    expect(added.filter(({ kind }) => kind === 'too_many_of_caller')).toHaveLength(30 - maximumWaiting.each);
    expect(await addTo(stores.one, waitingRecord({ code: 'B', identity: 'bob' }))).toEqual({ kind: 'added' });
    // Neither what is decided nor what expired counts.
    const [first] = codesOf(await stores.one.waiting.undecided(start));
    await stores.one.waiting.decide(first!, 'refused', 'signature');
    expect([
      await addTo(stores.other, waitingRecord({ code: 'C' })),
      await addTo(stores.other, waitingRecord({ code: 'D' })),
    ]).toEqual([{ kind: 'added' }, { kind: 'too_many_of_caller' }]);
    expect(
      await addTo(stores.other, waitingRecord({ code: 'E', expiresAt: start + 2 * quarterHour }), start + quarterHour),
    ).toEqual({ kind: 'added' });
  });

  test('is decided once of many at the same time, and stays as decided', async () => {
    await using stores = await openTwice();
    await addTo(stores.one, waitingRecord({ code: 'A' }));
    const verdicts = ['approved', 'refused', 'approved_on_page', 'refused'] as const;
    const decided = await Promise.all(
      verdicts.map((verdict, index) =>
        [stores.one, stores.other][index % 2]!.waiting.decide('A', verdict, `signature ${index}`),
      ),
    );
    expect(decided.filter(Boolean)).toHaveLength(1);
    const winner = decided.indexOf(true);
    expect((await stores.one.waiting.withCode('A', start))[0]?.decision).toEqual({
      verdict: verdicts[winner],
      signature: `signature ${winner}`,
    });
    expect((await stores.other.waiting.ofCall('A', start))[0]?.decision?.verdict).toBe(verdicts[winner]);
  });

  test('is taken once of many at the same time, with its decision', async () => {
    await using stores = await openTwice();
    await addTo(stores.one, waitingRecord({ code: 'A' }));
    await stores.one.waiting.decide('A', 'approved', 'signature');
    const taken = await Promise.all(
      Array.from({ length: 6 }, (_, index) => [stores.one, stores.other][index % 2]!.waiting.take('A')),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(await stores.one.waiting.decide('A', 'approved', 'signature')).toBe(false);
    // The same code again is another call, which nobody decided.
    await addTo(stores.other, waitingRecord({ code: 'A' }));
    expect((await stores.one.waiting.withCode('A', start))[0]?.decision).toBeUndefined();
  });

  test('that expired undecided is told apart from one that was decided', async () => {
    await using stores = await openTwice();
    for (const code of ['A', 'B', 'C']) await addTo(stores.one, waitingRecord({ code }));
    await stores.one.waiting.decide('B', 'approved', 'signature');
    const dropped = await Promise.all(
      [stores.one, stores.other].map(({ waiting }) => waiting.dropExpired(start + quarterHour)),
    );
    expect(dropped.toSorted((a, b) => a - b)).toEqual([0, 2]);
    expect(await stores.one.waiting.decide('B', 'refused', 'signature')).toBe(false);
  });
});

describe('tries at the secret', () => {
  test('are counted over all at the same time, and what was right is forgotten', async () => {
    await using stores = await openTwice();
    // Whoever moves the time of the store on keeps others waiting.
    await stores.one.time(start);
    const begun = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        [stores.one, stores.other][index % 2]!.secretTries.begin('198.51.100.7', start),
      ),
    );
    const tries = begun.flatMap((one) => (one.kind === 'try' ? [one.id] : []));
    expect(tries).toHaveLength(5);
    expect(await stores.one.secretTries.left('198.51.100.7')).toBe(0);
    expect(await stores.other.secretTries.begin('198.51.100.7', start + 1)).toEqual({
      kind: 'locked',
      until: start + quarterHour,
    });
    expect(await stores.other.secretTries.begin(terminalSource, start + 1)).toMatchObject({ kind: 'try' });
    await stores.other.secretTries.forget(tries[2]!);
    expect(await stores.one.secretTries.left('198.51.100.7')).toBe(1);
    expect(await stores.one.secretTries.begin('198.51.100.7', start + quarterHour)).toMatchObject({ kind: 'try' });
    expect(await stores.one.secretTries.left('198.51.100.7')).toBe(4);
  });
});

describe('a single use', () => {
  test('is given once of many at the same time', async () => {
    await using stores = await openTwice();
    const question = await stores.one.singleUses.begin(start, quarterHour);
    const uses = await Promise.all(
      Array.from({ length: 6 }, (_, index) => [stores.one, stores.other][index % 2]!.singleUses.use(question, start)),
    );
    expect(uses.toSorted()).toEqual(['used', ...Array.from({ length: 5 }, () => 'used_before')]);
  });

  test('is unknown before it began, and once it expired, used or not', async () => {
    await using stores = await openTwice();
    const [used, unused] = [
      await stores.one.singleUses.begin(start, quarterHour),
      await stores.one.singleUses.begin(start, quarterHour),
    ];
    expect(await stores.other.singleUses.use(used, start + quarterHour - 1)).toBe('used');
    expect(await stores.other.singleUses.use('another', start + quarterHour - 1)).toBe('unknown');
    for (const id of [used, unused]) expect(await stores.other.singleUses.use(id, start + quarterHour)).toBe('unknown');
  });
});

describe('a claimed id', () => {
  test('is given once of many at the same time', async () => {
    await using stores = await openTwice();
    const claims = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        [stores.one, stores.other][index % 2]!.singleUses.claim('request 1', start, quarterHour),
      ),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await stores.one.singleUses.claim('request 2', start, quarterHour)).toBe(true);
  });

  test('is free again once it expired', async () => {
    await using stores = await openTwice();
    expect(await stores.one.singleUses.claim('request', start, quarterHour)).toBe(true);
    expect(await stores.other.singleUses.claim('request', start + quarterHour - 1, quarterHour)).toBe(false);
    expect(await stores.other.singleUses.claim('request', start + quarterHour, quarterHour)).toBe(true);
  });
});

test('the decisions of named operators go with their call, whether it is used up, expires or its age is unknown', async () => {
  await using stores = await openTwice();
  const decision = { operator: 'ada', verdict: 'approved', note: 'note', signature: 'signature' } as const;
  const left = async () => [...(await stores.other.waiting.decisionsOn(['A', 'B', 'C'])).keys()].toSorted();
  for (const code of ['A', 'B', 'C']) {
    await addTo(stores.one, waitingRecord({ code, call: code }));
    expect(await stores.one.waiting.addDecision(code, decision, 2)).toBe('counted');
  }
  expect(await left()).toEqual(['A', 'B', 'C']);
  await stores.one.waiting.take('A');
  expect(await left()).toEqual(['B', 'C']);
  await stores.one.time(start);
  await stores.other.time(start - hour);
  expect(await left()).toEqual([]);
  await addTo(stores.one, waitingRecord({ code: 'B', call: 'B' }));
  await stores.one.waiting.addDecision('B', decision, 2);
  await stores.one.waiting.dropExpired(start + hour);
  expect(await left()).toEqual([]);
});

test('a text with characters that not every database takes is looked for like any other', async () => {
  await using stores = await openTwice();
  for (const odd of ['\0', 'K7QM\0', '\uD800', 'a\uDFFFb']) {
    expect(await stores.one.waiting.withCode(odd, start)).toEqual([]);
    expect(await stores.one.waiting.ofCall(odd, start)).toEqual([]);
    expect(await stores.one.waiting.take(odd)).toBe(false);
    expect(await stores.one.waiting.decide(odd, 'approved', odd)).toBe(false);
    expect(await stores.one.singleUses.use(odd, start)).toBe('unknown');
    expect(await stores.one.secretTries.begin(odd, start)).toMatchObject({ kind: 'try' });
  }
});
