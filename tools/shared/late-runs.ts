import { at, pruneRecord, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { alertsAbout } from './firing-alerts.ts';
import { historyOf, type Served } from './serving.ts';
import { unlessFailing } from './places.ts';

/** Maximum number of cron jobs whose histories are read for one answer. */
const mostJobs = 6;

const isRunning = ({ status }: Served): boolean => !['STOPPED', 'DELETED', 'READY'].includes(status?.state ?? '');

const isCronJob = (service: Served): boolean =>
  service.kind === 'job' && at(service.configuration ?? {}, 'schedule.cronjob.scheduled_at') !== undefined;

/**
 * The cron jobs among services of which the last run that was due is missing or failed, by their ids, each with what
 * is said of it. What could not be looked into is told in the answer.
 */
export async function lateRuns(
  context: ToolContext,
  services: readonly Served[],
): Promise<ReadonlyMap<string, string>> {
  const jobs = services.filter((service) => isCronJob(service) && isRunning(service));
  if (jobs.length === 0) return new Map();
  // Loaded on demand: it has a parser of cron expressions.
  const { lateRunOf, lateRunText } = await import('../../src/analysis/due-run.ts');
  const looked = jobs.slice(0, mostJobs);
  const histories = await Promise.all(looked.map((job) => unlessFailing(historyOf(context, job))));
  const unread = histories.filter((history) => history === undefined).length + jobs.length - looked.length;
  if (unread > 0)
    context.leftOut(
      `Not known: whether ${unread} of its cron jobs ran when due, because their histories were not read.`,
    );
  return new Map(
    looked.flatMap((job, index) => {
      const history = histories[index];
      const late = history && lateRunOf({ ...job, history }, context.now());
      return late ? [[job.id, lateRunText(late)] as const] : [];
    }),
  );
}

/** What a cron job's last run that was due lacks, and the alerts that fire about the job; empty if it lacks nothing. */
export async function lateFacts(context: ToolContext, job: Served): Promise<JsonRecord> {
  const late = (await lateRuns(context, [job])).get(job.id);
  if (late === undefined) return {};
  const alerts = await alertsAbout(context, [job.id]);
  return pruneRecord({ late, alerts: alerts.length > 0 ? alerts : undefined });
}

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** The lines of an answer about a run that was due, and about alerts that fire. */
export const lateLines = ({ late, alerts }: JsonRecord): readonly string[] => [
  ...(typeof late === 'string' ? [`Overdue: ${late}.`] : []),
  ...texts(alerts).map((name) => `An alert fires: ${name}.`),
];
