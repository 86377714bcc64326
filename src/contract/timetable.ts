import { latestWeekly, nextWeekly, type Weekday, type WeeklyTime } from './zoned-times.ts';

/** When an environment is stopped and started, as a deployment rule says it. Only the time of day of a time counts. */
export interface Timetable {
  readonly auto_stop: boolean;
  readonly timezone: string;
  readonly start_time: string;
  readonly stop_time: string;
  readonly weekdays: readonly Weekday[];
}

/** What a timetable does, and when: milliseconds since 1970. */
export interface TimetableEvent {
  readonly action: 'START' | 'STOP';
  readonly at: number;
}

const actions = ['START', 'STOP'] as const;

/** The time of day of a time such as 1970-01-01T19:00:00Z. */
export const timeOfDay = (time: string): string => new Date(Date.parse(time)).toISOString().slice(11, 16);

/** A time of day as deployment rules have it. */
export const asRuleTime = (time: string): string => `1970-01-01T${time}:00.000Z`;

/** The time of day that a time of a deployment rule stands for; undefined for any other text. */
export const clockTimeIn = (text: string): string | undefined =>
  /^1970-01-01T(\d\d:\d\d):00(?:\.0+)?(?:Z|\+00:00)$/.exec(text)?.[1];

const weeklyOf = ({ timezone, weekdays, ...times }: Timetable, action: TimetableEvent['action']): WeeklyTime => ({
  timeZone: timezone,
  weekdays,
  time: timeOfDay(action === 'START' ? times.start_time : times.stop_time),
});

const eventsBy = (timetable: Timetable, find: (weekly: WeeklyTime) => number | undefined): readonly TimetableEvent[] =>
  timetable.auto_stop
    ? actions
        .flatMap((action) => {
          const at = find(weeklyOf(timetable, action));
          return at === undefined ? [] : [{ action, at }];
        })
        .toSorted((one, other) => one.at - other.at)
    : [];

/** The next stop and the next start after a moment, in their order. None where the timetable is off. */
export const nextEvents = (timetable: Timetable, after: number): readonly TimetableEvent[] =>
  eventsBy(timetable, (weekly) => nextWeekly(weekly, after));

/** The last stop or start up to a moment. */
export const latestEvent = (timetable: Timetable, at: number): TimetableEvent | undefined =>
  eventsBy(timetable, (weekly) => latestWeekly(weekly, at)).at(-1);

/** Until when a timetable keeps an environment stopped; undefined if it should run. Milliseconds since 1970. */
export function stoppedUntil(timetable: Timetable, now: number): number | undefined {
  if (latestEvent(timetable, now)?.action !== 'STOP') return undefined;
  return nextEvents(timetable, now).find(({ action }) => action === 'START')?.at;
}

/** The author and origin of a deployment that a timetable brought about. */
export const timetableRequester = { origin: 'SERVICE_INTERNAL', triggeredBy: 'timetable' } as const;
