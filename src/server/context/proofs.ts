import { timingSafeEqual } from 'node:crypto';

/** How far the clock of whoever signs a request may differ, in milliseconds. */
export const clockTolerance = 5 * 60_000;

/** Whether a time in seconds since 1970, as text, is close enough to now, in milliseconds since 1970. */
export const isTimely = (seconds: string, now: number): boolean =>
  /^\d{1,12}$/.test(seconds) && Math.abs(Number(seconds) * 1000 - now) <= clockTolerance;

/** Whether two texts are equal, in a time that says nothing of where they differ. */
export const isEqual = (one: string, other: string): boolean => {
  const [expected, actual] = [Buffer.from(one), Buffer.from(other)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
};
