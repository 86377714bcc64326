import type { RawBuilder } from 'kysely';
import type { Clock } from '../../context/index.ts';
import type { GuardQueries } from './tables.ts';

/**
 * A clock for lifetimes: it starts at the given clock's time and never steps back. If that clock steps back, it
 * continues with the time that has really passed, so that what has expired stays expired and no lifetime is extended.
 * If that clock jumps ahead, it follows.
 * @param uptime a monotonic counter of milliseconds, from any start.
 */
export function monotonicClock(clock: Clock, uptime: () => number = () => performance.now()): Clock {
  let time: number | undefined;
  let [lastTime, lastUptime] = [0, 0];
  return {
    now: () => {
      const [clockTime, currentUptime] = [clock.now(), uptime()];
      time = time === undefined ? clockTime : time + Math.max(clockTime - lastTime, currentUptime - lastUptime, 0);
      [lastTime, lastUptime] = [clockTime, currentUptime];
      return time;
    },
  };
}

/**
 * How far the clock may step back without consequence, in milliseconds: processes read it one after another, and small
 * corrections happen.
 */
const tolerance = 5_000;

/** How far the stored time may fall behind the clock, in milliseconds, so that not every call writes. */
const resolution = 1_000;

/** The time to use, and its effect on the stored one. Times are milliseconds since 1970. */
interface TimeStep {
  readonly now: number;
  /**
   * `stay`: the stored time is good enough. `advance`: it moves on. `back`: the clock stepped back, and ages are
   * unknown.
   */
  readonly kind: 'stay' | 'advance' | 'back';
}

/**
 * The step from the latest time that any process used to that of a clock.
 * @param latest undefined if none was used.
 */
function timeStep(latest: number | undefined, clock: number): TimeStep {
  if (latest === undefined || clock >= latest + resolution) return { now: clock, kind: 'advance' };
  return clock >= latest - tolerance ? { now: Math.max(clock, latest), kind: 'stay' } : { now: clock, kind: 'back' };
}

/** A time as a column value. @param at milliseconds since 1970 */
export const timeValue = (at: number): string => new Date(at).toISOString();

/** Deletes rows whose age is no longer known. Rows that count against a limit stay, dated no later than now. */
async function followBack(queries: GuardQueries, at: string): Promise<void> {
  await queries.deleteFrom('guard_waiting').execute();
  await queries.deleteFrom('guard_decision').execute();
  await queries.deleteFrom('guard_ended').execute();
  await queries.deleteFrom('guard_single_use').execute();
  await queries.deleteFrom('guard_operator_session').execute();
  await queries.updateTable('guard_high_risk_call').set({ at }).where('at', '>', at).execute();
  await queries.updateTable('guard_secret_try').set({ at }).where('at', '>', at).execute();
}

/**
 * Implements `GuardStore.time` within a transaction.
 * @param databaseTime the time of the database, used instead of the caller's if given: the clocks of several machines
 *   differ
 */
export async function storedTime(
  queries: GuardQueries,
  clock: number,
  databaseTime: RawBuilder<string> | undefined,
): Promise<number> {
  const latest = queries
    .selectFrom('guard_time')
    .select('latest')
    .$if(databaseTime !== undefined, (query) => query.select(databaseTime!.as('now')));
  const step = async (query: typeof latest): Promise<TimeStep> => {
    const row = await query.executeTakeFirstOrThrow();
    return timeStep(
      row.latest === null ? undefined : Date.parse(row.latest),
      row.now === undefined ? clock : Date.parse(row.now),
    );
  };
  const seen = await step(latest);
  if (seen.kind === 'stay') return seen.now;
  // Another process may have advanced it before the row was locked.
  const { now, kind } = await step(queries.sql.held(latest));
  if (kind === 'back') await followBack(queries, timeValue(now));
  if (kind !== 'stay')
    await queries
      .updateTable('guard_time')
      .set({ latest: timeValue(now) })
      .execute();
  return now;
}
