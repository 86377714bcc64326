/** Times in seconds are far below this, times in milliseconds above. */
const leastMilliseconds = 1e11;

/** The furthest time from 1970 that has a date, in milliseconds. */
const furthest = 8.64e15;

/** Text that is the number of a time, as some platforms send it. */
const digits = /^\d{9,16}(?:\.\d+)?$/;

/**
 * A time in a platform's data, in milliseconds since 1970: a date as text, or a number of seconds or milliseconds.
 * Undefined if it is no time, or none that has a date.
 */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === 'string') return digits.test(value.trim()) ? timeOf(Number(value)) : timeAt(Date.parse(value));
  if (typeof value !== 'number') return undefined;
  return timeAt(Math.abs(value) < leastMilliseconds ? value * 1000 : value);
}

/** A calculated time, in milliseconds since 1970; undefined if it has no date. */
export const timeAt = (milliseconds: number): number | undefined =>
  Math.abs(milliseconds) <= furthest ? milliseconds : undefined;

/** A calculated time in ISO 8601; undefined if it has no date. */
export const isoAt = (milliseconds: number): string | undefined =>
  timeAt(milliseconds) === undefined ? undefined : new Date(milliseconds).toISOString();

/** A date and time in ISO 8601, in UTC. */
const isoForm = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** A time in a platform's data in ISO 8601, as it is if it has that form; undefined if it is no time. */
export const isoTime = (value: unknown): string | undefined => {
  const time = timeOf(value);
  if (time === undefined) return undefined;
  return typeof value === 'string' && isoForm.test(value) ? value : isoAt(time);
};

/** What is shown in place of a time that can't be read. */
export const unknownTime = 'unknown time';
