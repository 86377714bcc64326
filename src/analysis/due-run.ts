import { Cron } from 'croner';
import * as z from 'zod';
import { maybe } from './lenient.ts';
import { madeItRun, type PastDeployment } from './history.ts';
import type { LenientServiceStatus } from './deployment-progress.ts';
import { runKindsOf, type RunKind } from './job-runs.ts';

const Scheduled = z.looseObject({
  updated_at: maybe(z.string()),
  schedule: z.looseObject({ cronjob: z.looseObject({ scheduled_at: z.string(), timezone: maybe(z.string()) }) }),
});
type Cronjob = z.infer<typeof Scheduled>['schedule']['cronjob'];

/** A cron job, with its configuration and its history, newest first. */
export interface ScheduledJob {
  readonly configuration?: unknown;
  readonly status?: LenientServiceStatus | null;
  readonly history: readonly PastDeployment[];
}

/**
 * A run of a cron job that was due, and that did not end well or that no run by its schedule is known to be. What
 * somebody asked for meanwhile is none: it hides a dead schedule.
 */
export interface LateRun {
  /** When it was due, in ISO 8601. */
  readonly due: string;
  /** `not told`: one ran since, but whether by its schedule is not told, or which schedule is in force isn't. */
  readonly is: 'missing' | 'failed' | 'not told';
  /** Whether the job was changed since its deployment, so that it may still run by another schedule. */
  readonly isChanged?: true;
  /** What ran since, if something did. */
  readonly since?: { readonly kind: RunKind; readonly at?: string; readonly end?: 'good' | 'bad' };
  /** Whether its history has any run by its schedule, also an earlier one. */
  readonly isAnyKnown: boolean;
}

// Platforms begin a run up to a minute late, and a history shows it a moment later.
const leeway = 2 * 60_000;

/** The last time before a moment at which a schedule was due; undefined if there was none, or it can't be read. */
function lastDue({ scheduled_at, timezone }: Cronjob, before: number): number | undefined {
  try {
    return new Cron(scheduled_at, { timezone: timezone ?? 'Etc/UTC' }).previousRuns(1, new Date(before))[0]?.getTime();
  } catch {
    return undefined;
  }
}

const cronjobOf = (configuration: unknown): Cronjob | undefined =>
  Scheduled.safeParse(configuration).data?.schedule.cronjob;

/**
 * When a cron job is due next, in ISO 8601; undefined for another kind of job, and a schedule that never is or can't be
 * read.
 * @param now milliseconds since 1970
 */
export function nextDueOf(configuration: unknown, now: number): string | undefined {
  const cronjob = cronjobOf(configuration);
  if (cronjob === undefined) return undefined;
  try {
    const next = new Cron(cronjob.scheduled_at, { timezone: cronjob.timezone ?? 'Etc/UTC' }).nextRun(new Date(now));
    return next?.toISOString();
  } catch {
    return undefined;
  }
}

const startOf = ({ startedAt }: PastDeployment): number => Date.parse(startedAt ?? '');

/** Whether something began when a run of a cron job was due; nothing did of a job without a clock. */
export function beganWhenDueFor(configuration: unknown): (past: PastDeployment) => boolean {
  const cronjob = cronjobOf(configuration);
  return (past) => {
    const began = startOf(past);
    const due = cronjob === undefined || Number.isNaN(began) ? undefined : lastDue(cronjob, began + 1);
    return due !== undefined && began - due <= leeway;
  };
}

interface RunSince {
  readonly past: PastDeployment;
  readonly kind: RunKind;
  /** Whether it is by the schedule, or may be and began just when it was due. */
  readonly isScheduled: boolean;
}

/** The items of a history with how they came about, newest first. */
function runsOf({ configuration, history }: ScheduledJob): readonly RunSince[] {
  const beganWhenDue = beganWhenDueFor(configuration);
  const kinds = runKindsOf(history, beganWhenDue);
  return history.map((past, index) => {
    const kind = kinds[index]!;
    return { past, kind, isScheduled: kind === 'by schedule' || (kind === 'not told' && beganWhenDue(past)) };
  });
}

/** Whether the configuration of a job was changed after a moment; undefined if it doesn't tell. */
function isChangedSince(configuration: unknown, at: number): boolean | undefined {
  const changed = Date.parse(Scheduled.safeParse(configuration).data?.updated_at ?? '');
  return Number.isNaN(changed) || Number.isNaN(at) ? undefined : changed > at;
}

const ran = ({ kind }: RunSince): boolean => kind !== 'stop' && kind !== 'deletion';

/** Whether it may have brought another schedule into force. */
const mayDeploy = (run: RunSince): boolean => ran(run) && run.kind !== 'run on request';

/**
 * Whether a job may run by another schedule than the configured one: a change is in force from its deployment on. A
 * changed variable makes a job out of date, too, but is no change of the job.
 */
function mayRunByAnother({ configuration, status }: ScheduledJob, all: readonly RunSince[]): boolean {
  if (status?.service_deployment_status !== 'OUT_OF_DATE') return false;
  const deployed = all.find((run) => mayDeploy(run) && run.past.end === 'good');
  return deployed === undefined || isChangedSince(configuration, startOf(deployed.past)) !== false;
}

/**
 * The last run of a cron job that was due, if its history shows none by its schedule since, or only one that failed.
 * Undefined for everything else: another kind of job, one that ran, and one that was changed and deployed since, of
 * which no run was due yet.
 * @param now milliseconds since 1970
 */
export function lateRunOf(job: ScheduledJob, now: number): LateRun | undefined {
  const all = runsOf(job);
  const late = lateAsConfigured(job, all, now);
  return late !== undefined && late.is !== 'failed' && mayRunByAnother(job, all)
    ? { ...late, is: 'not told', isChanged: true }
    : late;
}

/** The same, by the configured schedule. */
function lateAsConfigured({ configuration }: ScheduledJob, all: readonly RunSince[], now: number): LateRun | undefined {
  const cronjob = cronjobOf(configuration);
  if (cronjob === undefined) return undefined;
  const at = lastDue(cronjob, now - leeway);
  if (at === undefined) return undefined;
  const since = all.filter(({ past }) => startOf(past) >= at);
  const late = { due: new Date(at).toISOString(), isAnyKnown: all.some(({ isScheduled }) => isScheduled) };
  if (since.some(({ isScheduled }) => isScheduled)) {
    const { past: latest } = since[0]!;
    return latest.end === 'bad' && latest.action === 'DEPLOY' ? { ...late, is: 'failed' } : undefined;
  }
  const before = all.find(({ past }) => startOf(past) < at && past.end === 'good');
  if (before === undefined || !madeItRun(before.past)) return undefined;
  const newest = since.find(ran);
  if (newest === undefined) return { ...late, is: 'missing' };
  if (since.some(mayDeploy) && isChangedSince(configuration, at)) return undefined;
  const untold = since.find(({ kind }) => kind === 'not told');
  const { kind, past } = untold ?? newest;
  return { ...late, is: untold ? 'not told' : 'missing', since: { kind, at: past.startedAt, end: past.end } };
}

const kindTexts: Readonly<Partial<Record<RunKind, string>>> = {
  'run on request': 'was run on request',
  deployment: 'was deployed',
  restart: 'was restarted',
};

function sinceText({ kind, at, end }: NonNullable<LateRun['since']>): string {
  const how = end === undefined ? 'is under way' : end === 'good' ? 'ended well' : 'failed';
  return `it ${kindTexts[kind] ?? 'was run or deployed on request'} at ${at ?? 'a time that is not told'}, which ${how}`;
}

/** What became of a run that was due, as text. */
export function lateRunText({ due, is, isChanged, since, isAnyKnown }: LateRun): string {
  const head = `a run was due at ${due}`;
  if (isChanged)
    return `${head} by the configured schedule, and none is known; the job may still run by another schedule, because it was changed since its deployment`;
  if (is === 'failed') return `${head}, and the run since then failed`;
  if (is === 'not told')
    return `${head}, and whether what ran at ${since?.at ?? 'a time that is not told'} was by its schedule is not told`;
  // Without any, either none ever began or the platform has them nowhere.
  const untold = '(some platforms list none)';
  if (since === undefined)
    return `${head}, and its history has none since${isAnyKnown ? '' : `, nor any by its schedule before ${untold}`}`;
  const [none, what] = ['its history has none by its schedule', sinceText(since)];
  return `${head}, and ${none}${isAnyKnown ? ' since' : `, neither since nor before ${untold}`}; ${what}`;
}

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
