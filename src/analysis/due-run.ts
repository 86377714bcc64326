import * as z from 'zod';
import { lastDue, nextDue } from './cron-times.ts';
import { maybe } from './lenient.ts';
import { isSameTimes, madeItRun, type CronTimes, type PastDeployment } from './history.ts';
import type { LenientServiceStatus } from './deployment-progress.ts';
import { runKindsOf, type RunKind } from './job-runs.ts';

export { scheduleFaultOf } from './cron-times.ts';

const Scheduled = z.looseObject({
  updated_at: maybe(z.string()),
  schedule: z.looseObject({ cronjob: z.looseObject({ scheduled_at: z.string(), timezone: maybe(z.string()) }) }),
});

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
  /** When it was due, in ISO 8601; absent where the schedule of then is not told. */
  readonly due?: string;
  /** `not told`: one ran since, but whether by its schedule is not told, or which schedule is in force isn't. */
  readonly is: 'missing' | 'failed' | 'not told';
  /** Whether the job was changed since its deployment, so that it may still run by another schedule. */
  readonly isChanged?: true;
  /** When the deployment was asked for that brought another schedule: the run was due by the one before. */
  readonly until?: string;
  /** What ran since, if something did. */
  readonly since?: { readonly kind: RunKind; readonly at?: string; readonly end?: 'good' | 'bad' };
  /** Whether its history has any run by its schedule, also an earlier one. */
  readonly isAnyKnown: boolean;
}

// Platforms begin a run up to a minute late, and a history shows it a moment later.
const leeway = 2 * 60_000;

const isoOf = (time: number): string => new Date(time).toISOString();

const timesIn = (configuration: unknown): CronTimes | undefined =>
  Scheduled.safeParse(configuration).data?.schedule.cronjob;

/**
 * When a cron job is due next, in ISO 8601; undefined for another kind of job, and a schedule that never is or can't be
 * read.
 * @param now milliseconds since 1970
 */
export function nextDueOf(configuration: unknown, now: number): string | undefined {
  const times = timesIn(configuration);
  const next = times && nextDue(times, now);
  return next === undefined ? undefined : isoOf(next);
}

const startOf = ({ startedAt }: PastDeployment): number => Date.parse(startedAt ?? '');

/** Whether something began when a run of a cron job was due; nothing did of a job without a clock. */
export function beganWhenDueFor(configuration: unknown): (past: PastDeployment) => boolean {
  const configured = timesIn(configuration);
  return (past) => {
    const [began, times] = [startOf(past), past.schedule ?? configured];
    const due = times === undefined || Number.isNaN(began) ? undefined : lastDue(times, began + 1);
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

/** A period in which one schedule was in force. */
interface SchedulePeriod {
  /** When the first known deployment with it was asked for, in milliseconds since 1970. */
  readonly from: number;
  /** Undefined if it is not told. */
  readonly times?: CronTimes;
}

const isSameSchedule = (one: CronTimes | undefined, other: CronTimes | undefined): boolean =>
  one === undefined || other === undefined ? one === other : isSameTimes(one, other);

/**
 * The schedules that were in force since the job was stopped last, as far as its history reaches; the present one first.
 * What the history doesn't tell is the configured schedule, unless the job was changed later.
 */
function periodsOf(job: ScheduledJob, configured: CronTimes, all: readonly RunSince[]): readonly SchedulePeriod[] {
  const stop = all.findIndex((run) => !ran(run) && (run.past.end === 'good' || run.past.state === 'STOPPED'));
  const brought = (stop === -1 ? all : all.slice(0, stop)).filter((run) => mayDeploy(run) && madeItRun(run.past));
  return brought.reduce<readonly SchedulePeriod[]>((periods, { past }, index) => {
    const from = startOf(past);
    const isOther = index === 0 ? mayRunByAnother(job, all) : isChangedSince(job.configuration, from) === true;
    const times = past.schedule ?? (isOther ? undefined : configured);
    const later = periods.at(-1);
    return later !== undefined && isSameSchedule(later.times, times)
      ? [...periods.slice(0, -1), { ...later, from }]
      : [...periods, { from, times }];
  }, []);
}

/** What became of the run that was due at this time; undefined if it took place. */
function lateAt(due: number, all: readonly RunSince[]): LateRun | undefined {
  const since = all.filter(({ past }) => startOf(past) >= due);
  const late = { due: isoOf(due), isAnyKnown: all.some(({ isScheduled }) => isScheduled) };
  if (since.some(({ isScheduled }) => isScheduled)) {
    const { past: latest } = since[0]!;
    return latest.end === 'bad' && latest.action === 'DEPLOY' ? { ...late, is: 'failed' } : undefined;
  }
  const newest = since.find(ran);
  if (newest === undefined) return { ...late, is: 'missing' };
  const untold = since.find(({ kind }) => kind === 'not told');
  const { kind, past } = untold ?? newest;
  return { ...late, is: untold ? 'not told' : 'missing', since: { kind, at: past.startedAt, end: past.end } };
}

/** The same by the configured schedule, where the job was changed since its deployment and may run by another one. */
function lateIfConfigured(
  configured: CronTimes,
  { from }: SchedulePeriod,
  all: readonly RunSince[],
  now: number,
): LateRun | undefined {
  const due = lastDue(configured, now - leeway);
  const late = due === undefined || due < from ? undefined : lateAt(due, all);
  return late === undefined || late.is === 'failed' ? late : { ...late, is: 'not told', isChanged: true };
}

/** What is left to say of a period whose schedule is not told: nothing if a run by it is known. */
function lateIfAny({ from }: SchedulePeriod, until: number, all: readonly RunSince[]): LateRun | undefined {
  const isAlive = all.some(({ isScheduled, past }) => isScheduled && startOf(past) >= from);
  return isAlive ? undefined : { is: 'not told', until: isoOf(until), isAnyKnown: false };
}

/**
 * The last run of a cron job that was due, if its history shows none by its schedule since, or only one that failed. A
 * run that was due before another schedule was deployed counts until one is due by that. Undefined for everything else:
 * another kind of job, one that ran, and one that was not deployed when a run was due.
 * @param now milliseconds since 1970
 */
export function lateRunOf(job: ScheduledJob, now: number): LateRun | undefined {
  const configured = timesIn(job.configuration);
  if (configured === undefined) return undefined;
  const all = runsOf(job);
  const periods = periodsOf(job, configured, all);
  for (const [index, period] of periods.entries()) {
    const later = periods[index - 1];
    if (period.times === undefined)
      return later ? lateIfAny(period, later.from, all) : lateIfConfigured(configured, period, all, now);
    const due = lastDue(period.times, later ? later.from : now - leeway);
    if (due === undefined || due < period.from) continue;
    const late = lateAt(due, all);
    return late && later ? { ...late, until: isoOf(later.from) } : late;
  }
  return undefined;
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
export function lateRunText({ due, is, isChanged, until, since, isAnyKnown }: LateRun): string {
  if (due === undefined)
    return `another schedule was deployed at ${until ?? 'a time that is not told'}, and none is due by it yet; whether a run was missed by the one before is not known, because that is not told, and its history has no run by a schedule`;
  const head = `a run was due at ${due}${until === undefined ? '' : ` by the schedule that was in force until the deployment at ${until}`}`;
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

/**
 * When a cron job runs next. `due` is by the schedule in force; `configured` is when one would be due by the configured
 * schedule, where that isn't known to be in force. Times are in ISO 8601.
 */
export type NextRun =
  | { readonly is: 'due'; readonly due: string; readonly configured?: string }
  | { readonly is: 'none'; readonly why: 'never deployed' | 'stopped' }
  | { readonly is: 'not told'; readonly why: 'changed' | 'no deployment'; readonly configured?: string };

/** Why no run of a job begins by itself, by its status; undefined if some may. */
function whyNone({ status }: ScheduledJob): 'never deployed' | 'stopped' | undefined {
  const state = status?.state;
  if (state === 'STOPPED' || state === 'DELETED') return 'stopped';
  return state === 'READY' || status?.service_deployment_status === 'NEVER_DEPLOYED' ? 'never deployed' : undefined;
}

/**
 * When a cron job runs next by itself; undefined for another kind of job, and for a schedule that never comes due. The
 * schedule of its last good deployment counts, not what was changed since.
 * @param now milliseconds since 1970
 */
export function nextRunOf(job: ScheduledJob, now: number): NextRun | undefined {
  const configured = timesIn(job.configuration);
  if (configured === undefined) return undefined;
  const why = whyNone(job);
  if (why !== undefined) return { is: 'none', why };
  const [present] = periodsOf(job, configured, runsOf(job));
  const isAsConfigured = job.status?.service_deployment_status === 'UP_TO_DATE';
  const times = present ? present.times : isAsConfigured ? configured : undefined;
  const asConfigured = nextDueOf(job.configuration, now);
  const ifOther = asConfigured === undefined ? {} : { configured: asConfigured };
  if (times === undefined) return { is: 'not told', why: present ? 'changed' : 'no deployment', ...ifOther };
  const due = nextDue(times, now);
  return due === undefined
    ? undefined
    : { is: 'due', due: isoOf(due), ...(isSameTimes(times, configured) ? {} : ifOther) };
}

const noneTexts = {
  'never deployed': 'none: no deployment of it has ended well, and until one does no run begins by itself',
  stopped: 'none: it is stopped, and until it is deployed no run begins by itself',
} as const;

const unclearTexts = {
  changed: 'not known: it was changed since its deployment, and may run by another schedule until it is deployed',
  'no deployment': 'not known: which schedule is in force is not told',
} as const;

/** When a cron job runs next, as text. */
export function nextRunText(next: NextRun): string {
  if (next.is === 'none') return noneTexts[next.why];
  const { configured } = next;
  if (next.is === 'not told')
    return `${unclearTexts[next.why]}${configured === undefined ? '' : `; by the configured one it would be due at ${configured}`}`;
  return configured === undefined
    ? next.due
    : `${next.due} by the schedule that is deployed; by the configured one, once that is deployed, ${configured}`;
}
