import { Cron } from 'croner';
import { condition, scheduleRequester, type Condition } from '../../contract/index.ts';
import type { ServiceSpecs } from '../common/index.ts';
import { conditionLine, type RuntimeLogLine } from '../runtime/index.ts';
import type { Db } from '../store/index.ts';
import { type EngineContext, iso } from './context.ts';
import { isBeingDeleted } from './deletion.ts';
import { appendLines } from './stored-lines.ts';
import { insertDeploymentService } from './service-changes.ts';
import { type DeploymentRow, type DeploymentServiceRow, isAside } from './deployment-rows.ts';
import { insertAside } from './deployments-aside.ts';
import { type TimerHandler, setTimer } from './timer-queue.ts';

/**
 * The next `most` times at which a job's schedule is due after `after`. Empty if it never is. All times are in
 * milliseconds since the epoch.
 */
const nextRuns = (context: EngineContext, job: ServiceSpecs['job'], after: number, most: number): readonly number[] => {
  const schedule = job.job_type === 'CRON' ? job.schedule?.cronjob : undefined;
  if (schedule === undefined) return [];
  try {
    return new Cron(schedule.scheduled_at, { timezone: schedule.timezone })
      .nextRuns(most, new Date(after))
      .map((date) => date.getTime());
  } catch (error) {
    context.log.warn(
      { err: error, schedule: schedule.scheduled_at },
      'the schedule of a job can not be parsed; the job does not run by itself',
    );
    return [];
  }
};

const nextRun = (context: EngineContext, job: ServiceSpecs['job'], after: number): number | null =>
  nextRuns(context, job, after, 1)[0] ?? null;

// A run that is later than this, because no worker was running, counts as missed.
const latestStartMilliseconds = 60_000;

/** How many missed runs are counted at most. */
const mostCounted = 1000;

/**
 * The due time of a schedule that starts with the platform: runs before that, of a replayed deployment, don't count as
 * missed.
 */
const whenPlatformBegins = 0;

/** The queue of the runs of a job that no deployment of its environment makes. */
export const runQueue = (serviceId: string): string => `job/${serviceId}`;

/** Schedules the next run of a deployed job. Removes the schedule of a stopped or deleted one. */
export async function scheduleJobRuns(
  context: EngineContext,
  trx: Db,
  deployment: DeploymentRow,
  row: DeploymentServiceRow,
  at: number,
): Promise<void> {
  if (row.kind !== 'job' || isAside(deployment)) return;
  const next =
    deployment.action === 'DEPLOY' ? nextRun(context, JSON.parse(row.spec ?? '{}') as ServiceSpecs['job'], at) : null;
  if (next !== null) await setTimer(trx, 'JOB_RUN', row.service_id, context.isReplay ? whenPlatformBegins : next);
  else if (deployment.action !== 'RESTART')
    await trx.deleteFrom('timer').where('kind', '=', 'JOB_RUN').where('subject_id', '=', row.service_id).execute();
}

/**
 * The schedule that remains after an unsuccessful deployment of a scheduled job: that of the version before it, or
 * none. A failed deployment doesn't replace the previous schedule.
 * @returns a line for the log of the deployment; undefined for anything else
 */
export async function scheduleLeft(
  context: EngineContext,
  trx: Db,
  deployment: DeploymentRow,
  row: DeploymentServiceRow,
  at: number,
): Promise<RuntimeLogLine | undefined> {
  if (row.kind !== 'job' || deployment.action !== 'DEPLOY' || context.isReplay || isAside(deployment)) return undefined;
  if (nextRun(context, JSON.parse(row.spec ?? '{}') as ServiceSpecs['job'], at) === null) return undefined;
  const timer = await trx
    .selectFrom('timer')
    .select('due_ms')
    .where('kind', '=', 'JOB_RUN')
    .where('subject_id', '=', row.service_id)
    .executeTakeFirst();
  const left =
    timer === undefined
      ? { left: 'none' as const }
      : { left: 'the version before' as const, ...(timer.due_ms > at && { next: iso(timer.due_ms) }) };
  return conditionLine(condition('SCHEDULE_NOT_BEGUN', left), { at, pod: 'schedule', version: '' });
}

/** Writes a condition to the newest log of a job: that of a run or of another deployment. */
async function tell(trx: Db, serviceId: string, at: number, told: Condition): Promise<void> {
  const newest = await trx
    .selectFrom('deployment_service')
    .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
    .select('deployment.id')
    .where('deployment_service.service_id', '=', serviceId)
    .orderBy('deployment.seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest !== undefined)
    await appendLines(trx, { deployment_id: newest.id, service_id: serviceId }, null, [
      conditionLine(told, { at, pod: 'schedule', version: '' }),
    ]);
}

/** The condition for runs that were due in a period, and not started. */
const missedRuns = (due: readonly number[]): Condition =>
  condition('RUNS_MISSED', {
    first: iso(due[0]!),
    ...(due.length > 1 && { last: iso(due.at(-1)!) }),
    runs: Math.min(due.length, mostCounted),
    isMore: due.length > mostCounted,
  });

/**
 * The deployment that currently runs or stops a job; undefined if there is none. One that only waits in a queue doesn't
 * count.
 */
export const deploymentUnderWay = (trx: Db, serviceId: string) =>
  trx
    .selectFrom('deployment_service')
    .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
    .select('deployment.id')
    .where('deployment_service.service_id', '=', serviceId)
    .where('deployment_service.ended_at', 'is', null)
    .where((where) =>
      where.or([
        where('deployment.queue', '=', runQueue(serviceId)),
        where('deployment_service.phase', 'is not', null),
      ]),
    )
    .executeTakeFirst();

/**
 * Starts a scheduled run of a job, unless the job is still running, is being deleted, or it is too late. The job's log
 * reports skipped runs. Each job has a separate queue for its runs.
 */
export const startScheduledRun =
  (context: EngineContext): TimerHandler =>
  async (trx, serviceId, now, dueAt) => {
    const service = await trx.selectFrom('service').selectAll().where('id', '=', serviceId).executeTakeFirst();
    if (service === undefined || service.deployed_spec === null) return null;
    await trx.lock(service.environment_id);
    const job = JSON.parse(service.deployed_spec) as ServiceSpecs['job'];
    if (dueAt === whenPlatformBegins) return nextRun(context, job, now);
    const latest = now - latestStartMilliseconds;
    if (dueAt < latest) {
      const missed = nextRuns(context, job, dueAt - 1, mostCounted + 1).filter((due) => due < latest);
      await tell(trx, serviceId, now, missedRuns(missed.length === 0 ? [dueAt] : missed));
      // A run that is due now is still in time.
      return nextRun(context, job, latest - 1);
    }
    if (await isBeingDeleted(trx, serviceId)) return nextRun(context, job, now);
    const running = await deploymentUnderWay(trx, serviceId);
    if (running !== undefined)
      await tell(trx, serviceId, now, condition('RUN_SKIPPED', { due: iso(dueAt), deployment: running.id }));
    else {
      const deployment = await insertAside(context, trx, service, runQueue(serviceId), scheduleRequester, now);
      await insertDeploymentService(trx, deployment, service, now);
    }
    return nextRun(context, job, now);
  };
