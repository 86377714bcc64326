import { Cron } from 'croner';
import type { CronTimes } from './history.ts';

/** A time of a schedule in milliseconds since 1970; undefined if there is none, or the schedule can't be read. */
function timeOf(
  { scheduled_at, timezone }: CronTimes,
  find: (cron: Cron) => Date | null | undefined,
): number | undefined {
  try {
    return find(new Cron(scheduled_at, { timezone: timezone ?? 'Etc/UTC' }))?.getTime();
  } catch {
    return undefined;
  }
}

/** The last time before a moment at which a schedule was due, all in milliseconds since 1970; undefined without one. */
export const lastDue = (times: CronTimes, before: number): number | undefined =>
  timeOf(times, (cron) => cron.previousRuns(1, new Date(before))[0]);

/** The first time after a moment at which a schedule is due, all in milliseconds since 1970; undefined without one. */
export const nextDue = (times: CronTimes, after: number): number | undefined =>
  timeOf(times, (cron) => cron.nextRun(new Date(after)));

/** What is wrong with a schedule: its expression can't be read, it never comes due, or there is no such time zone. */
export type ScheduleFault = 'unreadable' | 'never_due' | 'no_such_time_zone';

/**
 * What is wrong with the schedule of a cron job; undefined if nothing is.
 * @param scheduledAt absent to check the time zone alone
 * @param now milliseconds since 1970
 */
export function scheduleFaultOf(
  { scheduledAt = '* * * * *', timezone }: { readonly scheduledAt?: string; readonly timezone?: string },
  now: number,
): ScheduleFault | undefined {
  const next = (zone: string): Date | null | undefined => {
    try {
      return new Cron(scheduledAt, { timezone: zone }).nextRun(new Date(now));
    } catch {
      return undefined;
    }
  };
  const due = next('Etc/UTC');
  if (due === undefined) return 'unreadable';
  if (due === null) return 'never_due';
  return timezone !== undefined && next(timezone) === undefined ? 'no_such_time_zone' : undefined;
}
