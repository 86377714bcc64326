import { timeValue } from './clock.ts';
import type { GuardDatabase } from './database.ts';
import type { GuardQueries, SharedKey } from './tables.ts';

/** How long reported question keys and operators count after a server's last report, in milliseconds. */
const reportedTime = 3 * 60_000;

/**
 * Digests that servers of a store compare to find out whether their keys differ; they don't reveal the keys. The guard
 * key of the first server counts forever. Question keys and the operator change, and count for `reportedTime`.
 */
export interface KeyChecks {
  /** The digests that count now. */
  known(key: SharedKey, clock: number): Promise<readonly string[]>;
  /** Reports digests if one of them counts already, or none does. @returns whether it reported them. */
  report(key: SharedKey, digests: readonly string[], clock: number): Promise<boolean>;
  /** Reports a digest in place of all others, after its key was replaced. */
  replace(key: SharedKey, digest: string, clock: number): Promise<void>;
}

const digestsOf = async (queries: GuardQueries, key: SharedKey): Promise<string[]> =>
  (await queries.selectFrom('guard_key_check').select('digest').where('key', '=', key).execute()).map(
    ({ digest }) => digest,
  );

const put = async (
  queries: GuardQueries,
  key: SharedKey,
  digests: readonly string[],
  reported_at: string,
): Promise<void> => {
  if (digests.length === 0) return;
  await queries
    .insertInto('guard_key_check')
    .values(digests.map((digest) => ({ key, digest, reported_at })))
    .onConflict((conflict) => conflict.columns(['key', 'digest']).doUpdateSet({ reported_at }))
    .execute();
};

/** The digests of keys in a database. */
export function keyChecks({ write }: GuardDatabase): KeyChecks {
  const inTurn = <Value>(
    clock: number,
    change: (queries: GuardQueries, now: string) => Promise<Value>,
  ): Promise<Value> =>
    write(async ({ lock, queries, time }) => {
      await lock('keys');
      const now = await time(clock);
      await queries
        .deleteFrom('guard_key_check')
        .where('key', '!=', 'guard key')
        .where('reported_at', '<', timeValue(now - reportedTime))
        .execute();
      return change(queries, timeValue(now));
    });
  return {
    known: (key, clock) => inTurn(clock, (queries) => digestsOf(queries, key)),
    report: (key, digests, clock) =>
      inTurn(clock, async (queries, now) => {
        const known = await digestsOf(queries, key);
        if (known.length > 0 && !digests.some((digest) => known.includes(digest))) return false;
        await put(queries, key, digests, now);
        return true;
      }),
    replace: (key, digest, clock) =>
      inTurn(clock, async (queries, now) => {
        await queries.deleteFrom('guard_key_check').where('key', '=', key).execute();
        await put(queries, key, [digest], now);
      }),
  };
}

/** How long an operator may be idle before the secret has to be entered again, in milliseconds. */
export const operatorIdleTime = 10 * 60_000;

/** Maximum number of operator sessions. Beyond it the session that was idle longest is dropped. */
export const maximumOperatorSessions = 32;

/** The operators signed in at any server of a store. It contains digests of session ids, and nothing that can sign. */
export interface OperatorSessionRecords {
  start(id: string, clock: number): Promise<void>;
  /** Marks a session as used. @returns whether there is one. */
  use(id: string, clock: number): Promise<boolean>;
  /** Whether there is a session, without marking it as used. */
  has(id: string, clock: number): Promise<boolean>;
  end(id: string): Promise<void>;
}

/** The operator sessions in a database. */
export function operatorSessions({ write }: GuardDatabase): OperatorSessionRecords {
  const withTime = <Value>(
    clock: number,
    change: (queries: GuardQueries, now: number) => Promise<Value>,
  ): Promise<Value> => write(async ({ queries, time }) => change(queries, await time(clock)));
  return {
    start: (id, clock) =>
      withTime(clock, async (queries, now) => {
        await queries
          .deleteFrom('guard_operator_session')
          .where('last_used', '<', timeValue(now - operatorIdleTime))
          .execute();
        await queries
          .insertInto('guard_operator_session')
          .values({ id, last_used: timeValue(now) })
          .execute();
        const latest = queries
          .selectFrom('guard_operator_session')
          .select('id')
          .orderBy('last_used', 'desc')
          .orderBy('id')
          .limit(maximumOperatorSessions);
        await queries.deleteFrom('guard_operator_session').where('id', 'not in', latest).execute();
      }),
    use: (id, clock) =>
      withTime(
        clock,
        async (queries, now) =>
          (
            await queries
              .updateTable('guard_operator_session')
              .set({ last_used: timeValue(now) })
              .where('id', '=', id)
              .where('last_used', '>=', timeValue(now - operatorIdleTime))
              .executeTakeFirst()
          ).numUpdatedRows === 1n,
      ),
    has: (id, clock) =>
      withTime(
        clock,
        async (queries, now) =>
          (
            await queries
              .selectFrom('guard_operator_session')
              .select('id')
              .where('id', '=', id)
              .where('last_used', '>=', timeValue(now - operatorIdleTime))
              .execute()
          ).length === 1,
      ),
    end: (id) =>
      write(
        async ({ queries }) => void (await queries.deleteFrom('guard_operator_session').where('id', '=', id).execute()),
      ),
  };
}
