import { blockedUntil, countedTime, type HighRiskCalls } from '../high-risk-calls.ts';
import { lockTime, secretLock, terminalSource, triesLeft, type SecretTries } from '../secret-tries.ts';
import { timeOf, timeValue, type GuardConnection, type Rows } from './connection.ts';

const timesOf = (rows: Rows): number[] => rows.map(({ at }) => timeOf(at));

// The newest calls, as many as the limit, are never deleted, however old: a clock that ran ahead may be set back.
const deleteExpired = 'delete from guard_high_risk_call where at <= $1 and id not in (select id from guard_high_risk_call order by at desc, id desc limit $2)';

/** The count of high-risk calls in a PostgreSQL database. */
export function postgresHighRiskCalls({ transact }: GuardConnection): HighRiskCalls {
  const ask = (most: number, clock: number, count: number, isTaken: boolean): Promise<number | undefined> =>
    transact(async ({ query, lock, time }) => {
      await lock('high-risk calls');
      const now = await time(clock);
      await query(deleteExpired, timeValue(now - countedTime), most);
      const until = blockedUntil(timesOf(await query('select at from guard_high_risk_call order by at')), most, count, now);
      if (isTaken && until === undefined) await query('insert into guard_high_risk_call (at) select $1::timestamptz from generate_series(1, $2::integer)', timeValue(now), count);
      return until;
    });
  return {
    nextAt: (most, now, count = 1) => ask(most, now, count, false),
    take: (most, now, count = 1) => ask(most, now, count, true),
  };
}

/** The tries at the operator's secret in a PostgreSQL database. */
export const postgresSecretTries = ({ run, transact }: GuardConnection): SecretTries => ({
  begin: (source, clock) =>
    transact(async ({ query, lock, time }) => {
      await lock('secret tries');
      const now = await time(clock);
      await query('delete from guard_secret_try where at <= $1', timeValue(now - lockTime));
      const own = timesOf(await query('select at from guard_secret_try where source = $1 order by at', source));
      const ofAddresses = timesOf(await query('select at from guard_secret_try where source <> $1 order by at', terminalSource));
      const locked = secretLock(source, own, () => ofAddresses);
      if (locked) return locked;
      const [begun] = await query('insert into guard_secret_try (at, source) values ($1, $2) returning id', timeValue(now), source);
      return { kind: 'try', id: String(begun!['id']) };
    }),
  forget: async (id) => void (await run('delete from guard_secret_try where id = $1', id)),
  left: async (source) => triesLeft(Number((await run('select count(*) as n from guard_secret_try where source = $1', source))[0]!['n'])),
});
