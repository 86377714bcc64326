import type { Pending } from '../pending-calls.ts';

/** How long an ending is still worth telling, and what was posted is remembered, in milliseconds. */
export const tellingTime = 5 * 60_000;

/** The waiting calls whose messages have to say when nobody can decide on them any more. */
export interface Endings {
  /** Waits for the end of a call's time. */
  readonly expect: (pending: Pending) => void;
  /** The call was decided: its message says so, and needs nothing more. */
  readonly settle: (code: string) => void;
  readonly close: () => void;
}

/** @param tell tells the channel that the time of a call is over. Doesn't throw. */
export function createEndings(tell: (pending: Pending) => void): Endings {
  const timers = new Map<string, NodeJS.Timeout>();
  const settle = (code: string): void => {
    clearTimeout(timers.get(code));
    timers.delete(code);
  };
  return {
    expect: (pending) => {
      const run = (): void => {
        settle(pending.code);
        tell(pending);
      };
      timers.set(pending.code, setTimeout(run, Math.max(0, pending.expiresAt - Date.now())).unref());
    },
    settle,
    close: () => {
      for (const code of timers.keys()) settle(code);
    },
  };
}
