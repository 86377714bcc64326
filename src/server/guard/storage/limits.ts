import { randomUUID } from 'node:crypto';
import { timeValue } from './clock.ts';
import type { GuardDatabase } from './database.ts';
import type { GuardQueries } from './tables.ts';

/** How long a high-risk call counts, in milliseconds. */
const countedTime = 3_600_000;

/** Counts the high-risk calls of the last 60 minutes. Times are milliseconds since 1970. */
export interface HighRiskCalls {
  /** When `count` calls may be made together under a limit of `most`: undefined if now, Infinity if never. */
  nextAt(most: number, now: number, count?: number): Promise<number | undefined>;
  /** The same, and counts them if they may be made now. Concurrent callers together never exceed `most`. */
  take(most: number, now: number, count?: number): Promise<number | undefined>;
}

/** When `count` more calls may be made. @param recorded times of earlier calls, oldest first. */
function blockedUntil(recorded: readonly number[], most: number, count: number, now: number): number | undefined {
  const times = recorded.filter((at) => at > now - countedTime);
  const tooMany = times.length + count - most;
  if (tooMany <= 0) return undefined;
  return count > most ? Infinity : times[tooMany - 1]! + countedTime;
}

/** Counts in memory, for this process only. */
export function ephemeralHighRiskCalls(): HighRiskCalls {
  let times: number[] = [];
  const nextAt = (most: number, now: number, count: number): number | undefined => {
    // If the clock stepped back, earlier calls count as made no later than now.
    times = times
      .map((at) => Math.min(at, now))
      .filter((at, index) => at > now - countedTime || index >= times.length - most);
    return blockedUntil(times, most, count, now);
  };
  return {
    nextAt: async (most, now, count = 1) => nextAt(most, now, count),
    take: async (most, now, count = 1) => {
      const until = nextAt(most, now, count);
      if (until === undefined) times.push(...Array.from({ length: count }, () => now));
      return until;
    },
  };
}

const timesOf = (rows: readonly { readonly at: string }[]): number[] => rows.map(({ at }) => Date.parse(at));

/** The count of high-risk calls in a database. */
export function storedHighRiskCalls({ write }: GuardDatabase): HighRiskCalls {
  const ask = (most: number, clock: number, count: number, isTaken: boolean): Promise<number | undefined> =>
    write(async ({ queries, lock, time }) => {
      await lock('high-risk calls');
      const now = await time(clock);
      // The newest calls, as many as the limit, are never deleted, however old: a clock that ran ahead may be set back.
      const newest = queries
        .selectFrom('guard_high_risk_call')
        .select('id')
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(most);
      await queries
        .deleteFrom('guard_high_risk_call')
        .where('at', '<=', timeValue(now - countedTime))
        .where('id', 'not in', newest)
        .execute();
      const until = blockedUntil(
        timesOf(await queries.selectFrom('guard_high_risk_call').select('at').orderBy('at').execute()),
        most,
        count,
        now,
      );
      if (isTaken && until === undefined)
        await queries
          .insertInto('guard_high_risk_call')
          .values(Array.from({ length: count }, () => ({ at: timeValue(now) })))
          .execute();
      return until;
    });
  return {
    nextAt: (most, now, count = 1) => ask(most, now, count, false),
    take: (most, now, count = 1) => ask(most, now, count, true),
  };
}

/**
 * The source of a secret typed in a terminal, which has no network address. It doesn't count toward the limit over all
 * addresses.
 */
export const terminalSource = 'terminal';

/** The number of wrong secrets that lock a source, and the duration of the lock in milliseconds. */
const maximumWrongTries = 5;
const lockTime = 15 * 60_000;

/** The number of wrong secrets of all addresses together that locks them all, in case many addresses guess together. */
const maximumWrongTriesInAll = 100;

/**
 * Too many wrong secrets from a source or, if `everywhere`, from all addresses together: then each address has one try
 * instead of five.
 */
export interface SecretLock {
  readonly kind: 'locked';
  readonly until: number;
  readonly everywhere?: true;
}

/** One try at the secret, or a lock. */
export type CountedTry = { readonly kind: 'try'; readonly id: string } | SecretLock;

/** Tries at the operator's secret, in a store. */
export interface SecretTries {
  /**
   * Counts a try as wrong before the secret is checked, so that concurrent tries are all counted.
   * @param source a network address or `terminalSource`.
   */
  begin(source: string, clock: number): Promise<CountedTry>;
  /** Forgets a try that turned out to be right. */
  forget(id: string): Promise<void>;
  /** The number of tries that a source has left before it is locked. */
  left(source: string): Promise<number>;
}

/** When a lock ends, if there were too many wrong tries. @param times of the wrong tries, oldest first. */
const lockedUntil = (times: readonly number[], most: number): number | undefined =>
  times.length < most ? undefined : times[times.length - most]! + lockTime;

/**
 * Whether a source is locked.
 * @param own times of its wrong tries in the last `lockTime`, oldest first.
 * @param ofAddresses those of all addresses.
 */
function secretLock(source: string, own: readonly number[], ofAddresses: readonly number[]): SecretLock | undefined {
  const until = lockedUntil(own, maximumWrongTries);
  if (until !== undefined) return { kind: 'locked', until };
  // An address without wrong tries always has one, so that others' wrong tries can't lock the operator out.
  const untilForAll =
    source === terminalSource || own.length === 0 ? undefined : lockedUntil(ofAddresses, maximumWrongTriesInAll);
  return untilForAll === undefined ? undefined : { kind: 'locked', until: untilForAll, everywhere: true };
}

/** The number of tries that a source has left. @param wrong the number of its wrong tries. */
const triesLeft = (wrong: number): number => Math.max(0, maximumWrongTries - wrong);

const triesOf = (queries: GuardQueries, isOwn: '=' | '!=', source: string) =>
  queries.selectFrom('guard_secret_try').select('at').where('source', isOwn, source).orderBy('at').execute();

/** The tries at the operator's secret in a database. */
export const storedSecretTries = ({ read, write }: GuardDatabase): SecretTries => ({
  begin: (source, clock) =>
    write(async ({ queries, lock, time }) => {
      await lock('secret tries');
      const now = await time(clock);
      await queries
        .deleteFrom('guard_secret_try')
        .where('at', '<=', timeValue(now - lockTime))
        .execute();
      const [own, ofAddresses] = [
        timesOf(await triesOf(queries, '=', source)),
        timesOf(await triesOf(queries, '!=', terminalSource)),
      ];
      const locked = secretLock(source, own, ofAddresses);
      if (locked) return locked;
      const { id } = await queries
        .insertInto('guard_secret_try')
        .values({ at: timeValue(now), source })
        .returning('id')
        .executeTakeFirstOrThrow();
      return { kind: 'try', id: String(id) };
    }),
  forget: (id) =>
    write(
      async ({ queries }) => void (await queries.deleteFrom('guard_secret_try').where('id', '=', Number(id)).execute()),
    ),
  left: (source) => read(async (queries) => triesLeft((await triesOf(queries, '=', source)).length)),
});

/** The result of a single use: done, used before, or expired or unknown. */
export type Use = 'used' | 'used_before' | 'unknown';

/**
 * Ids that can be used once within a lifetime, such as that of a question. Concurrent uses of one id never both
 * succeed.
 */
export interface SingleUses {
  /** Starts a lifetime. @param lifetime in milliseconds. @returns a random id. */
  begin(clock: number, lifetime: number): Promise<string>;
  use(id: string, clock: number): Promise<Use>;
  /**
   * Uses an id that somebody else made, such as that of a signed request.
   * @param lifetime how long it is remembered, in milliseconds.
   * @returns false if it was used before. Returns true to only one of several concurrent callers.
   */
  claim(id: string, clock: number, lifetime: number): Promise<boolean>;
}

/** Single uses in a database. */
export const storedSingleUses = ({ write }: GuardDatabase): SingleUses => ({
  begin: (clock, lifetime) =>
    write(async ({ queries, time }) => {
      const [id, now] = [randomUUID(), await time(clock)];
      await queries.deleteFrom('guard_single_use').where('expires_at', '<=', timeValue(now)).execute();
      await queries
        .insertInto('guard_single_use')
        .values({ id, expires_at: timeValue(now + lifetime) })
        .execute();
      return id;
    }),
  claim: (id, clock, lifetime) =>
    write(async ({ queries, time }) => {
      const now = await time(clock);
      await queries.deleteFrom('guard_single_use').where('expires_at', '<=', timeValue(now)).execute();
      const { numInsertedOrUpdatedRows } = await queries
        .insertInto('guard_single_use')
        .values({ id, expires_at: timeValue(now + lifetime), is_used: 1 })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    }),
  use: (id, clock) =>
    write(async ({ queries, time }) => {
      const now = timeValue(await time(clock));
      const { numUpdatedRows } = await queries
        .updateTable('guard_single_use')
        .set({ is_used: 1 })
        .where('id', '=', id)
        .where('expires_at', '>', now)
        .where('is_used', '=', 0)
        .executeTakeFirst();
      if (numUpdatedRows === 1n) return 'used';
      return (
        await queries
          .selectFrom('guard_single_use')
          .select('id')
          .where('id', '=', id)
          .where('expires_at', '>', now)
          .execute()
      ).length === 1
        ? 'used_before'
        : 'unknown';
    }),
});
