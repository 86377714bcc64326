import { setTimeout as pause } from 'node:timers/promises';
import type { GuardStore } from '../../../../src/server/guard/index.ts';
import type { WaitingRecord } from '../../../../src/server/guard/storage/waiting-records.ts';

/** When the tests with stores take place. */
export const start = Date.parse('2026-11-20T10:00:00Z');

export const quarterHour = 15 * 60_000;

/** A record to store. Its code is its call, unless told. */
export const waitingRecord = ({
  code,
  call = code,
  identity = 'ann',
  expiresAt = start + quarterHour,
}: Partial<WaitingRecord> & { code: string }): WaitingRecord => ({
  code,
  call,
  identity,
  record: JSON.stringify({ code, identity }),
  seal: `seal of ${code}`,
  expiresAt,
});

export const addTo = (store: GuardStore, record: WaitingRecord, now = start) =>
  store.waiting.add(record, now, () => undefined);

/** How many things of each kind the processes of a race want. */
export const wanted = 25;

/** How many callers and addresses there are, each with a limit. */
const limits = 3;

/** What counts once, or up to a limit, and what one of several processes got of it. */
export interface Won {
  readonly used: readonly string[];
  readonly decided: readonly string[];
  readonly taken: readonly string[];
  /** Of each caller. */
  readonly added: readonly number[];
  /** From each address. */
  readonly tries: readonly number[];
  readonly highRiskCalls: number;
}

const numbered = (kind: string): string[] => Array.from({ length: wanted }, (_, index) => `${kind}${index}`);

/** Prepares what `raced` wants. @returns the ids of the questions. */
export async function prepareRace(store: GuardStore): Promise<string[]> {
  const questions: string[] = [];
  for (let count = 0; count < wanted; count += 1) questions.push(await store.singleUses.begin(start, quarterHour));
  for (const code of [...numbered('decide'), ...numbered('take')])
    await addTo(store, waitingRecord({ code, identity: `caller of ${code}` }));
  return questions;
}

async function successful(ids: readonly string[], attempt: (id: string) => Promise<boolean>): Promise<string[]> {
  const won: string[] = [];
  for (const id of ids) {
    if (await attempt(id)) won.push(id);
    // Lets the other process in, which waits for its turn in steps.
    await pause(2);
  }
  return won;
}

/** Makes all attempts at the same moment. @returns how many succeeded */
const count = async (attempt: (index: number) => Promise<boolean>): Promise<number> =>
  (await Promise.all(Array.from({ length: wanted }, (_, index) => attempt(index)))).filter(Boolean).length;

async function atEachLimit(meet: () => Promise<void>, attempts: (limit: number) => Promise<number>): Promise<number[]> {
  const counts: number[] = [];
  for (let limit = 0; limit < limits; limit += 1) {
    await meet();
    counts.push(await attempts(limit));
  }
  return counts;
}

/**
 * Tries to get everything that counts once, and as much as possible of what is limited.
 * @param meet resolves once all processes of the race call it
 */
export async function raced(
  store: GuardStore,
  name: string,
  questions: readonly string[],
  meet: () => Promise<void>,
): Promise<Won> {
  return {
    used: await successful(questions, async (id) => (await store.singleUses.use(id, start)) === 'used'),
    decided: await successful(numbered('decide'), (code) => store.waiting.decide(code, 'approved', name)),
    taken: await successful(numbered('take'), (code) => store.waiting.take(code)),
    added: await atEachLimit(meet, (caller) =>
      count(
        async (attempt) =>
          (await addTo(store, waitingRecord({ code: `${name} ${attempt} ${caller}`, identity: `caller ${caller}` })))
            .kind === 'added',
      ),
    ),
    tries: await atEachLimit(meet, (address) =>
      count(async () => (await store.secretTries.begin(`198.51.100.${address}`, start)).kind === 'try'),
    ),
    highRiskCalls: await meet().then(() =>
      count(async () => (await store.highRiskCalls.take(20, start)) === undefined),
    ),
  };
}

/**
 * Adds calls, decides them, uses up questions and takes the calls, one after another, and tells each step once it is
 * done.
 */
export async function stepsUntilKilled(store: GuardStore, tell: (step: string) => void): Promise<void> {
  for (let index = 0; ; index += 1) {
    const code = `call${index}`;
    await addTo(store, waitingRecord({ code }));
    tell(`added ${code}`);
    await store.waiting.decide(code, 'approved', 'signature');
    tell(`decided ${code}`);
    const question = await store.singleUses.begin(start, quarterHour);
    await store.singleUses.use(question, start);
    tell(`used ${code} ${question}`);
    await store.waiting.take(code);
    tell(`taken ${code}`);
  }
}
