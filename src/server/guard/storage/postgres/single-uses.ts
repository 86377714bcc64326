import { randomUUID } from 'node:crypto';
import type { SingleUses } from '../single-uses.ts';
import { timeValue, type GuardConnection } from './connection.ts';

/** What counts once, in a PostgreSQL database. */
export const postgresSingleUses = ({ transact }: GuardConnection): SingleUses => ({
  begin: (clock, lifetime) =>
    transact(async ({ query, time }) => {
      const [id, now] = [randomUUID(), await time(clock)];
      await query('delete from guard_single_use where expires_at <= $1', timeValue(now));
      await query('insert into guard_single_use (id, expires_at) values ($1, $2)', id, timeValue(now + lifetime));
      return id;
    }),
  use: (id, clock) =>
    transact(async ({ query, time }) => {
      const now = timeValue(await time(clock));
      if ((await query('update guard_single_use set is_used = true where id = $1 and expires_at > $2 and not is_used returning id', id, now)).length === 1) return 'used';
      return (await query('select from guard_single_use where id = $1 and expires_at > $2', id, now)).length === 1 ? 'used_before' : 'unknown';
    }),
});
