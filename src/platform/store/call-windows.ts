/** A window of time in which the calls of one caller are counted. */
export interface CallWindow {
  /** When it ends, in milliseconds since the epoch. */
  readonly endsAt: number;
  /** The number of calls in it, including the last one. */
  readonly calls: number;
}

/** Counts calls by caller, in windows that start with the first call and last a fixed time. */
export interface CallWindows {
  /**
   * Counts a call.
   * @param now the time of the call, in milliseconds since the epoch
   * @param milliseconds the length of a window that starts with it
   */
  count(caller: string, now: number, milliseconds: number): Promise<CallWindow>;
}

/** The number of windows at which expired ones are removed. The number of calling addresses has no limit. */
const sweepAt = 10_000;

/** Counts the calls to one process, in memory: a restart gives every caller a new window. */
export function createCallWindows(): CallWindows {
  const windows = new Map<string, CallWindow>();

  const sweep = (now: number): void => {
    for (const [caller, { endsAt }] of windows) if (endsAt <= now) windows.delete(caller);
  };

  return {
    count: async (caller, now, milliseconds) => {
      const present = windows.get(caller);
      const isNew = present === undefined || present.endsAt <= now;
      const window = isNew ? { endsAt: now + milliseconds, calls: 1 } : { ...present, calls: present.calls + 1 };
      if (isNew && windows.size >= sweepAt) sweep(now);
      windows.set(caller, window);
      return window;
    },
  };
}
