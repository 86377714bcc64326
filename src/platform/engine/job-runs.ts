import { Cron } from 'croner';
import type { ServiceSpecs } from '../common/index.ts';
import type { Db } from '../store/index.ts';
import { type EngineContext, iso } from './context.ts';
import { isBeingDeleted } from './deletion.ts';
import { insertDeploymentService } from './service-changes.ts';
import { type DeploymentRow, type DeploymentServiceRow, isScheduledRun } from './deployment-rows.ts';
import { type TimerHandler, setTimer } from './timer-queue.ts';

/** When a job's schedule next comes due, in milliseconds since the epoch; null if it never does. */
const nextRun = (context: EngineContext, job: ServiceSpecs['job'], after: number): number | null => {
  const schedule = job.job_type === 'CRON' ? job.schedule?.cronjob : undefined;
  if (schedule === undefined) return null;
  try {
    return new Cron(schedule.scheduled_at, { timezone: schedule.timezone }).nextRun(new Date(after))?.getTime() ?? null;
  } catch (error) {
    context.log.warn({ err: error, schedule: schedule.scheduled_at }, 'a job has a schedule that can not be read; it does not run by itself');
    return null;
  }
};

// A run that is later than this, because no worker was running, is skipped.
const latestStartMilliseconds = 60_000;

const queueOf = (serviceId: string): string => `job/${serviceId}`;

/** Schedules the next run of a deployed job. Removes the schedule of a stopped or deleted one. */
export async function scheduleJobRuns(context: EngineContext, trx: Db, deployment: DeploymentRow, row: DeploymentServiceRow, at: number): Promise<void> {
  if (row.kind !== 'job' || isScheduledRun(deployment)) return;
  const next = deployment.action === 'DEPLOY' ? nextRun(context, JSON.parse(row.spec ?? '{}') as ServiceSpecs['job'], at) : null;
  if (next !== null) await setTimer(trx, 'JOB_RUN', row.service_id, next);
  else if (deployment.action !== 'RESTART') await trx.deleteFrom('timer').where('kind', '=', 'JOB_RUN').where('subject_id', '=', row.service_id).execute();
}

/** Starts a scheduled run of a job, unless the previous one is still running, the job is being deleted, or it is too late. Each job has a queue of its own for its runs. */
export const startScheduledRun = (context: EngineContext): TimerHandler => async (trx, serviceId, now, dueAt) => {
  const service = await trx.selectFrom('service').selectAll().where('id', '=', serviceId).executeTakeFirst();
  if (service === undefined || service.deployed_spec === null) return null;
  const running = await trx.selectFrom('deployment').select('id').where('queue', '=', queueOf(serviceId)).where('due_ms', 'is not', null).executeTakeFirst();
  if (running === undefined && !(await isBeingDeleted(trx, serviceId)) && now - dueAt <= latestStartMilliseconds) {
    const deployment = await trx
      .insertInto('deployment')
      .values({
        id: context.random.uuid(), environment_id: service.environment_id, queue: queueOf(serviceId), action: 'DEPLOY', status: 'QUEUED',
        origin: 'SERVICE_INTERNAL', triggered_by: 'schedule', created_at: iso(now), due_ms: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await insertDeploymentService(trx, deployment, service, now);
  }
  return nextRun(context, JSON.parse(service.deployed_spec) as ServiceSpecs['job'], now);
};
