import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseAddress } from '../../../src/postgres/index.ts';
import type { GuardStore } from '../../../src/server/guard/index.ts';
import { postgresGuardStore } from '../../../src/server/guard/storage/postgres-store.ts';
import { addTo, quarterHour, start, waitingRecord } from '../../server/guard/storage/store-work.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/server.ts';

let server: PostgresServer;
let stores: GuardStore[];
beforeEach(async () => {
  server = await startPostgresServer();
  stores = [open(), open()];
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await server.stop();
});

const open = (): GuardStore => postgresGuardStore(parseAddress(server.addressOf('postgres')), { isTimeGiven: true });

const limit = 100_000;

/** What was begun, and what the store said was done. */
interface Told {
  readonly begun: Set<string>;
  readonly done: string[];
}

/** Lets two servers want the same at the same moment. */
const both = (each: (store: GuardStore) => Promise<unknown>): Promise<unknown> => Promise.all(stores.map(each));

/** The traffic of servers, until it is told to end. */
function traffic() {
  const kinds = ['added', 'decided', 'taken', 'asked', 'used', 'counted'] as const;
  const told = Object.fromEntries(
    kinds.map((kind) => [kind, { begun: new Set<string>(), done: [] }]),
  ) as unknown as Record<(typeof kinds)[number], Told>;
  const errors: Error[] = [];
  const ending = new AbortController();

  /** Makes a step, and notes what came of it. @returns what the store answered; undefined if it failed */
  const step = async <Answer>(
    kind: keyof typeof told,
    id: string,
    operation: () => Promise<Answer>,
    isDone: (answer: Answer) => boolean,
  ): Promise<Answer | undefined> => {
    told[kind].begun.add(id);
    try {
      const answer = await operation();
      if (isDone(answer)) told[kind].done.push(id);
      return answer;
    } catch (error) {
      errors.push(error as Error);
      return undefined;
    }
  };

  const work = async (name: string): Promise<void> => {
    for (let index = 0; !ending.signal.aborted; index += 1) {
      const code = `${name} ${index}`;
      await step(
        'added',
        code,
        () => addTo(stores[index % 2]!, waitingRecord({ code, identity: code })),
        ({ kind }) => kind === 'added',
      );
      await both((store) =>
        step(
          'decided',
          code,
          () => store.waiting.decide(code, 'approved', 'signature'),
          (isMade) => isMade,
        ),
      );
      // Every other call waits on.
      if (index % 2 === 0)
        await both((store) =>
          step(
            'taken',
            code,
            () => store.waiting.take(code),
            (isMade) => isMade,
          ),
        );
      const question = await step(
        'asked',
        code,
        () => stores[0]!.singleUses.begin(start, quarterHour),
        () => true,
      );
      if (question !== undefined)
        await both((store) =>
          step(
            'used',
            question,
            () => store.singleUses.use(question, start),
            (use) => use === 'used',
          ),
        );
      await step(
        'counted',
        code,
        () => stores[1]!.highRiskCalls.take(limit, start),
        (until) => until === undefined,
      );
    }
  };

  const working = Promise.all(['one', 'two', 'three'].map(work));
  return {
    told,
    errors,
    /** Waits until so many more calls were counted. */
    more: async (count: number): Promise<void> => {
      const goal = told.counted.done.length + count;
      await expect.poll(() => told.counted.done.length, { interval: 10 }).toBeGreaterThanOrEqual(goal);
    },
    end: () => {
      ending.abort();
      return working;
    },
  };
}

const repeated = (values: readonly string[]): string[] =>
  values.filter((value, index) => values.indexOf(value) !== index);

test('a database that is stopped at once in the middle of traffic, three times, loses nothing that it told, and lets nothing be used twice', async () => {
  await Promise.all(stores.map((store) => store.time(start)));
  const { told, errors, more, end } = traffic();
  for (let round = 0; round < 3; round += 1) {
    await more(15);
    const before = errors.length;
    await server.crash();
    // Calls meanwhile fail.
    await expect.poll(() => errors.length, { interval: 10 }).toBeGreaterThan(before + 3);
    await pause(100);
    await server.recover();
  }
  await more(15);
  await end();

  for (const kind of ['decided', 'taken', 'used'] as const) {
    expect(told[kind].done.length, kind).toBeGreaterThan(20);
    expect(repeated(told[kind].done), kind).toEqual([]);
  }
  for (const error of errors) {
    expect(error.name).toBe('StoreUnavailable');
    expect(error.message).toMatch(/database/);
    expect(error.message).not.toContain('postgres@');
  }
  const store = open();
  stores.push(store);
  const [decided, taken, mayBeTaken] = [new Set(told.decided.done), new Set(told.taken.done), told.taken.begun];
  for (const code of told.added.done) {
    const [found] = await store.waiting.withCode(code, start);
    if (taken.has(code)) expect(found, code).toBeUndefined();
    else if (!mayBeTaken.has(code)) expect(found, code).toBeDefined();
    if (found && decided.has(code))
      expect(found.decision, code).toEqual({ verdict: 'approved', signature: 'signature' });
  }
  for (const question of told.used.done)
    expect(await store.singleUses.use(question, start), question).toBe('used_before');
  // Whatever counts against the limit still does: one more than were told can't be made.
  const counted = told.counted.done.length;
  expect(await store.highRiskCalls.nextAt(counted, start)).toBeGreaterThan(start);
  expect(await store.highRiskCalls.nextAt(told.counted.begun.size + 1, start)).toBeUndefined();
});
