import { storedTime } from './stored-time.ts';
import { inOneTransaction, type GuardStore } from './store.ts';

const hour = 3_600_000;

/** Counts the high-risk calls of the last 60 minutes. Times are milliseconds since 1970. */
export interface HighRiskCalls {
  /** When `count` calls may be made at once under a limit of `most`: undefined if they may be made now, Infinity if never. */
  nextAt(most: number, now: number, count?: number): Promise<number | undefined>;
  /** The same, and counts them if they may be made now. Concurrent callers together never exceed `most`. */
  take(most: number, now: number, count?: number): Promise<number | undefined>;
}

/** When `count` more calls may be made. @param recorded times of earlier calls, oldest first. */
function blockedUntil(recorded: readonly number[], most: number, count: number, now: number): number | undefined {
  const times = recorded.filter((at) => at > now - hour);
  const tooMany = times.length + count - most;
  if (tooMany <= 0) return undefined;
  return count > most ? Infinity : times[tooMany - 1]! + hour;
}

// The newest calls, as many as the limit, are never deleted, however old: a clock that ran ahead may be set back.
const deleteExpired = 'DELETE FROM grave_call WHERE at <= ? AND rowid NOT IN (SELECT rowid FROM grave_call ORDER BY at DESC LIMIT ?)';

/** Counts for all processes that share a store. */
export function highRiskCallsIn(store: GuardStore): HighRiskCalls {
  const ask = async (most: number, clock: number, count: number, isTaken: boolean): Promise<number | undefined> => {
    const database = await store.open();
    return inOneTransaction(database, () => {
      const now = storedTime(database, clock);
      database.prepare(deleteExpired).run(now - hour, most);
      const times = database.prepare('SELECT at FROM grave_call ORDER BY at').all().map(({ at }) => Number(at));
      const until = blockedUntil(times, most, count, now);
      const insertion = database.prepare('INSERT INTO grave_call (at) VALUES (?)');
      if (isTaken && until === undefined) for (let inserted = 0; inserted < count; inserted += 1) insertion.run(now);
      return until;
    });
  };
  return {
    nextAt: (most, now, count = 1) => ask(most, now, count, false),
    take: (most, now, count = 1) => ask(most, now, count, true),
  };
}

/** Counts in memory, for this process only. */
export function ephemeralHighRiskCalls(): HighRiskCalls {
  let times: number[] = [];
  const nextAt = (most: number, now: number, count: number): number | undefined => {
    // If the clock stepped back, a call counts as made no later than now.
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
