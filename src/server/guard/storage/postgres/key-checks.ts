import { reportedTime, type KeyChecks, type SharedKey } from '../key-checks.ts';
import { timeValue, type GuardConnection, type GuardTransaction, type Query } from './connection.ts';

const digestsOf = async (query: Query, key: SharedKey): Promise<string[]> => (await query('select digest from guard_key_check where key = $1', key)).map(({ digest }) => digest as string);

const dropOld = "delete from guard_key_check where key <> 'guard key' and reported_at < $1";

const put = `insert into guard_key_check (key, digest, reported_at) select $1, digest, $3::timestamptz from unnest($2::text[]) digest
  on conflict (key, digest) do update set reported_at = excluded.reported_at`;

/** The digests of keys in a PostgreSQL database. */
export function postgresKeyChecks({ transact }: GuardConnection): KeyChecks {
  const inTurn = <Value>(clock: number, change: (query: Query, now: string) => Promise<Value>): Promise<Value> =>
    transact(async ({ lock, query, time }: GuardTransaction) => {
      await lock('keys');
      const now = await time(clock);
      await query(dropOld, timeValue(now - reportedTime));
      return change(query, timeValue(now));
    });
  return {
    known: (key, clock) => inTurn(clock, (query) => digestsOf(query, key)),
    report: (key, digests, clock) =>
      inTurn(clock, async (query, now) => {
        const known = await digestsOf(query, key);
        if (known.length > 0 && !digests.some((digest) => known.includes(digest))) return false;
        await query(put, key, digests, now);
        return true;
      }),
    replace: (key, digest, clock) =>
      inTurn(clock, async (query, now) => {
        await query('delete from guard_key_check where key = $1', key);
        await query(put, key, [digest], now);
      }),
  };
}
