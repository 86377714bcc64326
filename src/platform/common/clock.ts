/** The platform's source of time. */
export interface PlatformClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /**
   * Calls `listener` whenever the time jumps, until the returned function is called. Absent for clocks that never jump.
   */
  onMove?(listener: () => void): () => void;
}

export const systemClock: PlatformClock = { now: () => Date.now() };

/** A clock that only advances when it is moved. */
export interface SteppedClock extends PlatformClock {
  /** Sets the time, in milliseconds since the epoch. */
  moveTo(moment: number): void;
}

/** Creates a stepped clock with the time `start`, in milliseconds since the epoch. */
export function createSteppedClock(start: number): SteppedClock {
  // Never mutated: a listener may unsubscribe while it is called.
  let listeners: readonly (() => void)[] = [];
  let moment = start;
  return {
    now: () => moment,
    onMove: (listener) => {
      listeners = [...listeners, listener];
      return () => {
        listeners = listeners.filter((each) => each !== listener);
      };
    },
    moveTo: (next) => {
      moment = next;
      for (const listener of listeners) listener();
    },
  };
}

/** The clock's time in the format of responses and rows: ISO 8601, UTC, with milliseconds. */
export const isoNow = (clock: PlatformClock): string => new Date(clock.now()).toISOString();

const millisecondsPerDay = 86_400_000;

/** Adds a number of days, whole or fractional, to a time in milliseconds since the epoch. */
export const addDays = (moment: number, days: number): number => moment + days * millisecondsPerDay;

/** Converts an ISO 8601 duration such as P1DT30M to milliseconds. A year counts as 365 days, a month as 30. */
export const isoDurationMilliseconds = (isoDuration: string): number => {
  const match = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(
    isoDuration,
  );
  const units = [365 * 86_400, 30 * 86_400, 7 * 86_400, 86_400, 3600, 60, 1];
  return units.reduce((sum, unit, index) => sum + unit * 1000 * Number(match?.[index + 1] ?? 0), 0);
};
