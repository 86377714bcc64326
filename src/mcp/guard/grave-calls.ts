import { together, type Store } from './store.ts';

const hour = 3_600_000;

/** Counts the grave calls of the last 60 minutes. Times are milliseconds since 1970. */
export interface GraveCalls {
  /** When the next call may be made, if `most` were made already; undefined when one may be made now. Infinity where none ever may. */
  nextAt(most: number, now: number): Promise<number | undefined>;
  /** The same, and counts one where it may be made: of callers at the same moment no more than `most` get through. */
  take(most: number, now: number): Promise<number | undefined>;
}

/** When a call may be made again, given when earlier ones were made, oldest first. */
const blockedUntil = (times: readonly number[], most: number): number | undefined =>
  times.length < most ? undefined : most === 0 ? Infinity : times[times.length - most]! + hour;

/** Counts for all processes that share the store. */
export function graveCallsIn(store: Store): GraveCalls {
  const count = async (most: number, now: number, taking: boolean): Promise<number | undefined> => {
    const database = await store.open();
    return together(database, () => {
      database.prepare('DELETE FROM grave_call WHERE at <= ?').run(now - hour);
      const times = database.prepare('SELECT at FROM grave_call ORDER BY at').all().map(({ at }) => Number(at));
      const until = blockedUntil(times, most);
      if (taking && until === undefined) database.prepare('INSERT INTO grave_call (at) VALUES (?)').run(now);
      return until;
    });
  };
  return {
    nextAt: (most, now) => count(most, now, false),
    take: (most, now) => count(most, now, true),
  };
}

/** Counts for this process alone. */
export function passingGraveCalls(): GraveCalls {
  let times: number[] = [];
  const nextAt = (most: number, now: number): number | undefined => {
    times = times.filter((at) => at > now - hour);
    return blockedUntil(times, most);
  };
  return {
    nextAt: async (most, now) => nextAt(most, now),
    take: async (most, now) => {
      const until = nextAt(most, now);
      if (until === undefined) times.push(now);
      return until;
    },
  };
}
