import { storedTime } from './stored-time.ts';
import { inOneTransaction, type GuardStore } from './store.ts';

const hour = 3_600_000;

/** Counts the grave calls of the last 60 minutes. Times are milliseconds since 1970. */
export interface HighRiskCalls {
  /** When so many calls may be made together where `most` may in all; undefined when they may be made now. Infinity where they never may. */
  nextAt(most: number, now: number, count?: number): Promise<number | undefined>;
  /** The same, and counts them where they may be made: of callers at the same moment no more than `most` get through. */
  take(most: number, now: number, count?: number): Promise<number | undefined>;
}

/** When so many more calls may be made, given when all that is known of was made, oldest first. */
function blockedUntil(known: readonly number[], most: number, count: number, now: number): number | undefined {
  const times = known.filter((at) => at > now - hour);
  const tooMany = times.length + count - most;
  if (tooMany <= 0) return undefined;
  return count > most ? Infinity : times[tooMany - 1]! + hour;
}

// As many as the limit are remembered however old they are: a clock that went ahead may come back.
const forget = 'DELETE FROM grave_call WHERE at <= ? AND rowid NOT IN (SELECT rowid FROM grave_call ORDER BY at DESC LIMIT ?)';

/** Counts for all processes that share the store. */
export function highRiskCallsIn(store: GuardStore): HighRiskCalls {
  const ask = async (most: number, clock: number, count: number, taking: boolean): Promise<number | undefined> => {
    const database = await store.open();
    return inOneTransaction(database, () => {
      const now = storedTime(database, clock);
      database.prepare(forget).run(now - hour, most);
      const times = database.prepare('SELECT at FROM grave_call ORDER BY at').all().map(({ at }) => Number(at));
      const until = blockedUntil(times, most, count, now);
      const insertion = database.prepare('INSERT INTO grave_call (at) VALUES (?)');
      if (taking && until === undefined) for (let made = 0; made < count; made += 1) insertion.run(now);
      return until;
    });
  };
  return {
    nextAt: (most, now, count = 1) => ask(most, now, count, false),
    take: (most, now, count = 1) => ask(most, now, count, true),
  };
}

/** Counts for this process alone. */
export function ephemeralHighRiskCalls(): HighRiskCalls {
  let times: number[] = [];
  const nextAt = (most: number, now: number, count: number): number | undefined => {
    // Where the clock stepped back, nothing was made later than now.
    times = times.map((at) => Math.min(at, now)).filter((at, index) => at > now - hour || index >= times.length - most);
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
