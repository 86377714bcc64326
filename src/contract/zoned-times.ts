/** Days of the week, in the order of ISO 8601. */
export const weekdays = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;
export type Weekday = (typeof weekdays)[number];

const minute = 60_000;
const day = 24 * 60 * minute;

/** Whether a name is that of a time zone, such as Europe/Paris. */
export function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== undefined;
  } catch {
    return false;
  }
}

/** The local time of a moment or of a calendar entry: as milliseconds since 1970, if the clock showed UTC. */
type LocalTime = number;

/** A clock of a time zone. All moments are in milliseconds since 1970. */
interface ZoneClock {
  readonly localAt: (moment: number) => LocalTime;
  /**
   * The moment of a local time: the first one if it occurs twice. A time that the zone skips is later by the length of
   * the gap.
   */
  readonly momentOf: (local: LocalTime) => number;
}

/** @throws RangeError if there is no such zone */
function clockOf(timeZone: string): ZoneClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const localAt = (moment: number): LocalTime => {
    const parts = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day: date = 1, hour = 0, minute: minutes = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, date, hour, minutes, second) + (moment - Math.floor(moment / 1000) * 1000);
  };
  return {
    localAt,
    momentOf: (local) => {
      const candidates = [local - day, local + day].map((around) => local - (localAt(around) - around));
      return candidates.filter((moment) => localAt(moment) === local).toSorted((a, b) => a - b)[0] ?? candidates[0]!;
    },
  };
}

const clockTime = /^(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/;

/** Whether a text is a time of day from 00:00 to 24:00. */
export const isClockTime = (text: string): boolean => clockTime.test(text);

const minutesOf = (time: string): number => {
  const [, hours, minutes] = clockTime.exec(time) ?? [];
  return hours === undefined ? 24 * 60 : Number(hours) * 60 + Number(minutes);
};

const dateOf = (local: LocalTime): LocalTime => Math.floor(local / day) * day;

// The first day of 1970 was a Thursday.
const weekdayOf = (local: LocalTime): Weekday => weekdays[(Math.floor(local / day) + 3 + 7 * 1_000_000) % 7]!;

/** A time of day on some days of the week, in a time zone. */
export interface WeeklyTime {
  readonly weekdays: readonly Weekday[];
  /** From 00:00 to 24:00. */
  readonly time: string;
  readonly timeZone: string;
}

// A week, and a day at both ends for zones that skip hours or days.
const daysAround = Array.from({ length: 19 }, (_, index) => index - 9);

const momentsAround = ({ weekdays: wanted, time, timeZone }: WeeklyTime, moment: number): readonly number[] => {
  const clock = clockOf(timeZone);
  const today = dateOf(clock.localAt(moment));
  return daysAround
    .map((distance) => today + distance * day)
    .filter((date) => wanted.includes(weekdayOf(date)))
    .map((date) => clock.momentOf(date + minutesOf(time) * minute));
};

/**
 * The first such time after a moment; undefined without days. Both in milliseconds since 1970.
 * @throws RangeError if there is no such zone
 */
export const nextWeekly = (weekly: WeeklyTime, after: number): number | undefined =>
  momentsAround(weekly, after).find((moment) => moment > after);

/** The last such time up to a moment, itself included. */
export const latestWeekly = (weekly: WeeklyTime, at: number): number | undefined =>
  momentsAround(weekly, at).findLast((moment) => moment <= at);

/**
 * The moment of a local date and time such as 2026-12-24 16:00, in milliseconds since 1970.
 * @throws RangeError if there is no such zone
 */
export function zonedMoment(text: string, timeZone: string): number {
  const [date = '', time = ''] = text.split(' ');
  return clockOf(timeZone).momentOf(Date.parse(`${date}T00:00:00Z`) + minutesOf(time) * minute);
}

/** A moment in a time zone and in UTC: `FRIDAY 2026-11-27 19:00 Europe/Paris (2026-11-27T18:00:00.000Z)`. */
export function zonedText(moment: number, timeZone: string): string {
  const local = clockOf(timeZone).localAt(moment);
  const [date, time = ''] = new Date(local).toISOString().split('T');
  return `${weekdayOf(local)} ${date} ${time.slice(0, 5)} ${timeZone} (${new Date(moment).toISOString()})`;
}
