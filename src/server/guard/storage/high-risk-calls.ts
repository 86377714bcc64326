/** How long a high-risk call counts, in milliseconds. */
export const countedTime = 3_600_000;

/** Counts the high-risk calls of the last 60 minutes. Times are milliseconds since 1970. */
export interface HighRiskCalls {
  /** When `count` calls may be made at once under a limit of `most`: undefined if they may be made now, Infinity if never. */
  nextAt(most: number, now: number, count?: number): Promise<number | undefined>;
  /** The same, and counts them if they may be made now. Concurrent callers together never exceed `most`. */
  take(most: number, now: number, count?: number): Promise<number | undefined>;
}

/** When `count` more calls may be made. @param recorded times of earlier calls, oldest first. */
export function blockedUntil(recorded: readonly number[], most: number, count: number, now: number): number | undefined {
  const times = recorded.filter((at) => at > now - countedTime);
  const tooMany = times.length + count - most;
  if (tooMany <= 0) return undefined;
  return count > most ? Infinity : times[tooMany - 1]! + countedTime;
}

/** Counts in memory, for this process only. */
export function ephemeralHighRiskCalls(): HighRiskCalls {
  let times: number[] = [];
  const nextAt = (most: number, now: number, count: number): number | undefined => {
    // If the clock stepped back, a call counts as made no later than now.
    times = times.map((at) => Math.min(at, now)).filter((at, index) => at > now - countedTime || index >= times.length - most);
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
