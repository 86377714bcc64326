import { isClockTime, latestWeekly, nextWeekly, weekdays, zonedMoment, type Weekday } from './zoned-times.ts';

/** When nothing may be deployed: from one time to another, each week or once. */
export interface WindowTimes {
  /** A day of the week and a time, or a date and a time, such as FRIDAY 16:00 or 2026-12-24 16:00. */
  readonly begins: string;
  readonly ends: string;
  readonly time_zone: string;
}

/** One occurrence of a window, in milliseconds since 1970. */
interface WindowOccurrence {
  readonly begins: number;
  readonly ends: number;
}

const partsOf = (text: string): readonly [date: string, time: string] => {
  const [date = '', time = '', ...rest] = text.split(' ');
  return [date, rest.length > 0 ? '' : time];
};

const isWeekday = (word: string): word is Weekday => (weekdays as readonly string[]).includes(word);

const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  Number.isFinite(Date.parse(`${text}T00:00:00Z`)) &&
  new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);

/** Whether a text is a day of the week or a date, and a time of day. */
export function isWindowTime(text: string): boolean {
  const [date, time] = partsOf(text);
  return (isWeekday(date) || isDate(date)) && isClockTime(time);
}

const isWeekly = (text: string): boolean => isWeekday(partsOf(text)[0]);

/** Why two valid times are no window, as the end of a sentence; undefined if they are one. */
export function windowFault({ begins, ends, time_zone }: WindowTimes): string | undefined {
  if (isWeekly(begins) !== isWeekly(ends)) return 'must be a date if begins is one, and a day of the week otherwise';
  if (begins === ends) return 'must differ from begins';
  return !isWeekly(begins) && zonedMoment(ends, time_zone) <= zonedMoment(begins, time_zone)
    ? 'must be later than begins'
    : undefined;
}

const weekly = (text: string, timeZone: string) => {
  const [weekday, time] = partsOf(text);
  return { weekdays: [weekday as Weekday], time, timeZone };
};

/**
 * The occurrence of a window that holds at a moment, or else the next one; undefined if none is left.
 * @param now milliseconds since 1970
 */
export function occurrenceOf({ begins, ends, time_zone }: WindowTimes, now: number): WindowOccurrence | undefined {
  if (!isWeekly(begins)) {
    const once = { begins: zonedMoment(begins, time_zone), ends: zonedMoment(ends, time_zone) };
    return once.ends > now ? once : undefined;
  }
  const [from, to] = [weekly(begins, time_zone), weekly(ends, time_zone)];
  return [latestWeekly(from, now), nextWeekly(from, now)]
    .flatMap((start) => {
      const end = start === undefined ? undefined : nextWeekly(to, start);
      return start === undefined || end === undefined ? [] : [{ begins: start, ends: end }];
    })
    .find((one) => one.ends > now);
}

/** Whether an occurrence holds at a moment. */
export const isInForce = (occurrence: WindowOccurrence | undefined, now: number): boolean =>
  occurrence !== undefined && occurrence.begins <= now && now < occurrence.ends;
