/** Where the platform takes its time from. */
export interface PlatformClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Tells `listener` whenever the time jumps, until the returned function is called. Absent where it only passes. */
  onMove?(listener: () => void): () => void;
}

export const systemClock: PlatformClock = { now: () => Date.now() };

/** A clock that stands still until it is moved. */
export interface SteppedClock extends PlatformClock {
  /** Moves it, to milliseconds since the epoch. */
  moveTo(moment: number): void;
}

/** A stepped clock that stands at `start`, in milliseconds since the epoch. */
export function createSteppedClock(start: number): SteppedClock {
  // A list of its own for each change: a listener that is told may leave.
  let listeners: readonly (() => void)[] = [];
  let moment = start;
  return {
    now: () => moment,
    onMove: (listener) => {
      listeners = [...listeners, listener];
      return () => {
        listeners = listeners.filter((one) => one !== listener);
      };
    },
    moveTo: (next) => {
      moment = next;
      for (const listener of listeners) listener();
    },
  };
}

/** The clock's time as answers and rows write it: ISO 8601, UTC, milliseconds. */
export const isoNow = (clock: PlatformClock): string => new Date(clock.now()).toISOString();

const millisecondsPerDay = 86_400_000;

/** A moment moved by whole or broken days, in milliseconds since the epoch. */
export const addDays = (moment: number, days: number): number => moment + days * millisecondsPerDay;

/** Length of an ISO 8601 duration such as P1DT30M, in milliseconds. Years and months count as 365 and 30 days. */
export const isoDurationMilliseconds = (isoDuration: string): number => {
  const match = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(isoDuration);
  const units = [365 * 86_400, 30 * 86_400, 7 * 86_400, 86_400, 3600, 60, 1];
  return units.reduce((sum, unit, index) => sum + unit * 1000 * Number(match?.[index + 1] ?? 0), 0);
};
