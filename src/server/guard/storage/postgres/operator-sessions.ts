import { maximumOperatorSessions, operatorIdleTime, type OperatorSessionRecords } from '../operator-session-records.ts';
import { timeValue, type GuardConnection } from './connection.ts';

const dropIdlest = 'delete from guard_operator_session where id in (select id from guard_operator_session order by last_used desc, id offset $1)';

/** The operator sessions in a PostgreSQL database. */
export const postgresOperatorSessions = ({ run, transact }: GuardConnection): OperatorSessionRecords => ({
  start: (id, clock) =>
    transact(async ({ query, time }) => {
      const now = await time(clock);
      await query('delete from guard_operator_session where last_used < $1', timeValue(now - operatorIdleTime));
      await query('insert into guard_operator_session (id, last_used) values ($1, $2)', id, timeValue(now));
      await query(dropIdlest, maximumOperatorSessions);
    }),
  use: (id, clock) =>
    transact(async ({ query, time }) => {
      const now = await time(clock);
      return (await query('update guard_operator_session set last_used = $2 where id = $1 and last_used >= $3 returning id', id, timeValue(now), timeValue(now - operatorIdleTime))).length === 1;
    }),
  has: (id, clock) =>
    transact(async ({ query, time }) => (await query('select from guard_operator_session where id = $1 and last_used >= $2', id, timeValue((await time(clock)) - operatorIdleTime))).length === 1),
  end: async (id) => void (await run('delete from guard_operator_session where id = $1', id)),
});
