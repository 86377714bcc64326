import * as z from 'zod';
import { repeated, timeAt } from '../contract/index.ts';

/** Thrown for a query that can't be run. The message is for the author of the query. */
export class UnusableQuery extends Error {
  override readonly name = 'UnusableQuery';
}

/** Times in milliseconds since the epoch, both inclusive; an absent bound is open. */
export interface TimeWindow {
  readonly from?: number;
  readonly to?: number;
}

const duration = z.iso.duration();
const parts = /^P(?:(\d+)W)?(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?)?$/;
const second = 1000;
const day = 86_400 * second;
// Milliseconds per week, year, month, day, hour, minute, second; years and months are approximate.
const lengths = [7 * day, 365 * day, 30 * day, day, 3600 * second, 60 * second, second];

/**
 * Milliseconds of an ISO 8601 duration such as PT15M or P1DT2H; undefined if it is invalid. A month counts as 30 days,
 * a year as 365.
 */
export const durationOf = (text: string): number | undefined => {
  const found = duration.safeParse(text).success ? parts.exec(text) : null;
  return found?.slice(1).reduce((sum, amount, index) => sum + Number(amount ?? 0) * (lengths[index] ?? 0), 0);
};

const timeOf = (member: string, text: string | undefined, now: Date): number | undefined => {
  if (text === undefined) return undefined;
  const before = durationOf(text);
  const time = before === undefined ? Date.parse(text) : now.getTime() - before;
  if (!/^[P\d]/.test(text) || timeAt(time) === undefined) {
    throw new UnusableQuery(
      `${member} must be an ISO timestamp such as 2026-01-31T09:30:00Z, or how long ago as an ISO duration such as PT15M. It is ${JSON.stringify(repeated(text))}.`,
    );
  }
  return time;
};

/**
 * The time window between two bounds.
 * @param now the time that durations are relative to
 * @throws UnusableQuery if a bound is neither a timestamp nor a duration, or the window is empty
 */
export function timeWindow({ since, until }: { since?: string; until?: string }, now: Date): TimeWindow {
  const from = timeOf('since', since, now);
  const to = timeOf('until', until, now);
  if (from !== undefined && to !== undefined && from > to)
    throw new UnusableQuery('since lies after until: the window is empty.');
  return { from, to };
}
