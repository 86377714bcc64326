import { Cron } from 'croner';
import * as z from 'zod';
import { maybe } from './lenient.ts';
import { madeItRun, type PastDeployment } from './history.ts';
import type { LenientServiceStatus } from './deployment-progress.ts';

const Scheduled = z.looseObject({
  schedule: z.looseObject({ cronjob: z.looseObject({ scheduled_at: z.string(), timezone: maybe(z.string()) }) }),
});

/** A cron job, with its configuration and its history, newest first. */
export interface ScheduledJob {
  readonly configuration?: unknown;
  readonly status?: LenientServiceStatus | null;
  readonly history: readonly PastDeployment[];
}

/** A run of a cron job that was due, and that did not end well or is in no history. */
export interface LateRun {
  /** When it was due, in ISO 8601. */
  readonly due: string;
  readonly is: 'missing' | 'failed';
}

// Platforms begin a run up to a minute late, and a history shows it a moment later.
const leeway = 2 * 60_000;

/** The last time before a moment at which a schedule was due; undefined if there was none, or it can't be read. */
function lastDue(scheduledAt: string, timezone: string | undefined, before: number): number | undefined {
  try {
    return new Cron(scheduledAt, { timezone: timezone ?? 'Etc/UTC' }).previousRuns(1, new Date(before))[0]?.getTime();
  } catch {
    return undefined;
  }
}

const startOf = ({ startedAt }: PastDeployment): number => Date.parse(startedAt ?? '');

/**
 * The last run of a cron job that was due, if the history shows none since, or only one that failed. Undefined for
 * everything else: another kind of job, one that isn't deployed as configured, and one that ran.
 * @param now milliseconds since 1970
 */
export function lateRunOf({ configuration, status, history }: ScheduledJob, now: number): LateRun | undefined {
  const cronjob = Scheduled.safeParse(configuration).data?.schedule.cronjob;
  // A changed schedule is in force from its deployment on.
  if (cronjob === undefined || status?.service_deployment_status === 'OUT_OF_DATE') return undefined;
  const at = lastDue(cronjob.scheduled_at, cronjob.timezone ?? undefined, now - leeway);
  if (at === undefined) return undefined;
  const due = new Date(at).toISOString();
  const [latest] = history.filter((past) => startOf(past) >= at);
  if (latest !== undefined)
    return latest.end === 'bad' && latest.action === 'DEPLOY' ? { due, is: 'failed' } : undefined;
  const before = history.find((past) => startOf(past) < at && past.end === 'good');
  return before !== undefined && madeItRun(before) ? { due, is: 'missing' } : undefined;
}

const texts: Readonly<Record<LateRun['is'], string>> = {
  missing: 'and its history has none since',
  failed: 'and the run since then failed',
};

/** What became of a run that was due, as text. */
export const lateRunText = ({ due, is }: LateRun): string => `a run was due at ${due}, ${texts[is]}`;

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
