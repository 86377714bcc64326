import type { LateText, PastDeployment, WatchedService } from '../../src/analysis/index.ts';
import { operations } from '../../src/contract/index.ts';
import {
  at,
  eventsText,
  pruneRecord,
  readUses,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { readAspect } from './any-service.ts';
import { alertsAbout } from './firing-alerts.ts';
import { historyOf, type Served } from './serving.ts';
import { unlessFailing } from './places.ts';

/** The reads for runs that were due, of jobs of which only a row of a list is known. */
export const readsOfLateRuns = readUses(
  'whether cron jobs ran when due is not known',
  operations.get_job,
  operations.list_job_deployments,
);

/** Maximum number of cron jobs whose histories are read for one answer. */
const mostJobs = 6;

const isRunning = ({ status }: Served): boolean => !['STOPPED', 'DELETED', 'READY'].includes(status?.state ?? '');

const isCronJob = (service: Served): boolean =>
  service.kind === 'job' && at(service.configuration ?? {}, 'schedule.cronjob.scheduled_at') !== undefined;

/**
 * The cron jobs among services of which the last run that was due is missing or failed, or may be, by their ids, each
 * with what is said of it. What could not be looked into is told in the answer.
 */
export async function lateRuns(
  context: ToolContext,
  services: readonly Served[],
): Promise<ReadonlyMap<string, LateText>> {
  return lateAmong(
    context,
    services.filter((service) => isCronJob(service) && isRunning(service)),
  );
}

/**
 * The same for services of which only rows of a list are known: the configurations of those that may be cron jobs are
 * read with their histories.
 */
export async function lateRunsByRows(
  context: ToolContext,
  services: readonly WatchedService[],
): Promise<ReadonlyMap<string, LateText>> {
  return lateAmong(
    context,
    services.filter(
      (service) => service.kind === 'job' && ['CRON', undefined].includes(service.jobType) && isRunning(service),
    ),
    (job) => unlessFailing(readAspect(context, { kind: 'job', id: job.id }, 'configuration')),
  );
}

// Loaded on demand: it has a parser of cron expressions.
const dueRuns = () => import('../../src/analysis/due-run.ts');

type Looked = Served & { readonly history: readonly PastDeployment[] };

/** What is said of the late run of a cron job; undefined if it has none. */
function lateTextOf(
  { lateRunOf, lateRunText }: Awaited<ReturnType<typeof dueRuns>>,
  job: Looked,
  now: number,
): LateText | undefined {
  const late = lateRunOf(job, now);
  if (late === undefined) return undefined;
  const { due, is } = late;
  return { text: lateRunText(late), isKnown: is !== 'not told', ...(due !== undefined && { due }) };
}

/**
 * Cron jobs with their histories, as far as they can be read. What could not be read is told in the answer.
 * @param read reads a configuration that isn't known
 */
async function withHistories(
  context: ToolContext,
  jobs: readonly Served[],
  read?: (job: Served) => Promise<JsonRecord | undefined>,
): Promise<readonly Looked[]> {
  const looked = await Promise.all(
    jobs.slice(0, mostJobs).map(async (job) => {
      const [configuration, history] = await Promise.all([
        job.configuration ?? read?.(job),
        unlessFailing(historyOf(context, job)),
      ]);
      return { ...job, configuration, history };
    }),
  );
  const unread =
    looked.filter(({ configuration, history }) => !configuration || !history).length + jobs.length - looked.length;
  if (unread > 0)
    context.leftOut(
      `Not known: whether ${unread} cron job${unread === 1 ? '' : 's'} ran when due: their history was not read.`,
    );
  return looked.flatMap(({ history, ...job }) => (history ? [{ ...job, history }] : []));
}

/** The cron jobs among jobs that run and that are late. @param read reads a configuration that isn't known */
async function lateAmong(
  context: ToolContext,
  jobs: readonly Served[],
  read?: (job: Served) => Promise<JsonRecord | undefined>,
): Promise<ReadonlyMap<string, LateText>> {
  if (jobs.length === 0) return new Map();
  const [analysis, looked] = await Promise.all([dueRuns(), withHistories(context, jobs, read)]);
  return new Map(
    looked.flatMap((job) => {
      const late = lateTextOf(analysis, job, context.now());
      return late ? [[job.id, late] as const] : [];
    }),
  );
}

/** The members of an answer about runs that were due: `late`, and `late_not_told` where it is not told. */
export function lateMembers(lates: readonly LateText[]): JsonRecord {
  const textOf = (isKnown: boolean): string | undefined =>
    lates
      .filter((one) => one.isKnown === isKnown)
      .map(({ text }) => text)
      .join('; ') || undefined;
  return pruneRecord({ late: textOf(true), late_not_told: textOf(false) });
}

/** The names of these members, and of the one about alerts. */
export const lateNames = ['late', 'late_not_told', 'alerts'] as const;

/** When a job without a timetable runs, in place of the time of its next run; empty for others. */
export function runsAtEvents(job: JsonRecord | undefined): JsonRecord {
  const events = eventsText(job);
  return events === undefined ? {} : { next_run: `at no set time, but ${events}` };
}

/**
 * When a job runs next, what the last run of a cron job that was due lacks, and then the alerts that fire about the
 * job; empty for other services.
 */
export async function runFacts(context: ToolContext, job: Served): Promise<JsonRecord> {
  if (!isCronJob(job)) return job.kind === 'job' ? runsAtEvents(job.configuration) : {};
  const [analysis, [looked]] = await Promise.all([dueRuns(), isRunning(job) ? withHistories(context, [job]) : []]);
  const next = analysis.nextRunOf(looked ?? { ...job, history: [] }, context.now());
  const late = looked && lateTextOf(analysis, looked, context.now());
  const alerts = late ? await alertsAbout(context, [job.id]) : [];
  return pruneRecord({
    next_run: next && analysis.nextRunText(next),
    ...(late && lateMembers([late])),
    alerts: alerts.length > 0 ? alerts : undefined,
  });
}

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** The lines of an answer about a run that was due, and about alerts that fire. */
export const lateLines = ({ late, late_not_told: untold, alerts }: JsonRecord): readonly string[] => [
  ...(typeof late === 'string' ? [`Overdue: ${late}.`] : []),
  ...(typeof untold === 'string' ? [`Perhaps overdue: ${untold}.`] : []),
  ...texts(alerts).map((name) => `An alert fires: ${name}.`),
];
