import { isDown, operations } from '../../src/contract/index.ts';
import { notAgreedTo, reading, readUses, textAt, type JsonRecord, type Preview } from '../../src/server/tool/index.ts';
import { isAsDeployed } from '../shared/variable-effect.ts';
import { unlessFailing } from '../shared/places.ts';

const timesOf = (job: JsonRecord | undefined): string | undefined => {
  const times = textAt(job, 'schedule.cronjob.scheduled_at');
  return times && `${times} ${textAt(job, 'schedule.cronjob.timezone') ?? 'Etc/UTC'}`;
};

/** What happens until a changed schedule is deployed. @param before when a run is due by the one that is in force */
function untilDeployed(status: JsonRecord | undefined, before: string | undefined): string {
  if (status === undefined) return 'whether it runs by another one before is not known';
  const state = String(status['state']);
  if (state === 'READY' || status['service_deployment_status'] === 'NEVER_DEPLOYED')
    return 'it was never deployed, and until it is no run begins by itself';
  if (isDown(state)) return 'it is stopped, and until it is deployed no run begins by itself';
  return `until it is deployed, it runs ${before === undefined ? 'by the schedule in force' : `as before, next at ${before}`}`;
}

/** For a changed schedule of a cron job: when a run is due by it, and by the one before. Times change while people read. */
export const scheduleChange: Preview = reading(
  readUses('when a run is due by a changed schedule is not said', operations.get_job, operations.get_job_status),
  async (args, { reader, now = Date.now() }) => {
    const [times, id] = [timesOf(args), String(args['job_id'])];
    if (times === undefined) return [];
    const present: JsonRecord | undefined = await reader.attempt(operations.get_job, { job_id: id });
    if (timesOf(present) === times) return [];
    // Loaded on demand: it has a parser of cron expressions.
    const [{ nextDueOf }, status] = await Promise.all([
      import('../../src/analysis/due-run.ts'),
      unlessFailing(reader.attempt(operations.get_job_status, { job_id: id })),
    ]);
    const next = nextDueOf(args, now);
    if (next === undefined) return [];
    const before = present && isAsDeployed(present, status) ? nextDueOf(present, now) : undefined;
    return [
      notAgreedTo(
        `By the new schedule its next run is due at ${next}, if it is deployed by then; ${untilDeployed(status, before)}.`,
      ),
    ];
  },
);
