/** Where the platform takes its time from. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Tells `listener` whenever the time jumps, until the returned function is called. Absent where it only passes. */
  onMove?(listener: () => void): () => void;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that stands still until it is moved. */
export interface SteppedClock extends Clock {
  /** Moves it, to milliseconds since the epoch. */
  moveTo(moment: number): void;
}

/** A stepped clock that stands at `start`, in milliseconds since the epoch. */
export function createSteppedClock(start: number): SteppedClock {
  const listeners = new Set<() => void>();
  let moment = start;
  return {
    now: () => moment,
    onMove: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    moveTo: (next) => {
      moment = next;
      for (const listener of [...listeners]) listener();
    },
  };
}

/** The clock's time as answers and rows write it: ISO 8601, UTC, milliseconds. */
export const isoNow = (clock: Clock): string => new Date(clock.now()).toISOString();

const millisecondsPerDay = 86_400_000;

/** A moment moved by whole or broken days, in milliseconds since the epoch. */
export const addDays = (moment: number, days: number): number => moment + days * millisecondsPerDay;
