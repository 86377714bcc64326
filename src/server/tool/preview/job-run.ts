import { at, isRecord, type JsonRecord } from '../../json/index.ts';
import { show } from './preview.ts';

/** When a cron job runs, in words; undefined for other jobs, and where the record doesn't tell. */
export function scheduleText(job: JsonRecord | undefined): string | undefined {
  const when = job && at(job, 'schedule.cronjob.scheduled_at');
  if (typeof when !== 'string') return undefined;
  const timezone = at(job, 'schedule.cronjob.timezone');
  return `"${show(when)}"${typeof timezone === 'string' ? ` (${show(timezone)})` : ''}`;
}

/** Whether a schedule has this member. */
const has = (schedule: JsonRecord, name: string): boolean => (schedule[name] ?? undefined) !== undefined;

/** What deploying a job does that runs at events of its environment; undefined if its schedule tells none. */
function effectOfEvents(schedule: JsonRecord): string | undefined {
  if (has(schedule, 'cronjob')) return undefined;
  if (has(schedule, 'on_start')) return 'runs the job now';
  const others = [...(has(schedule, 'on_stop') ? ['stopped'] : []), ...(has(schedule, 'on_delete') ? ['deleted'] : [])];
  return others.length === 0 ? undefined : `runs the job now unless the platform runs it only when its environment is ${others.join(' or ')}`;
}

/**
 * What deploying a job does, in words without a subject. A platform whose jobs go through EXECUTING runs a cron job once
 * when it is deployed, others only schedule it: which one this is shows only afterwards.
 */
export function jobEffect(job: JsonRecord | undefined): string {
  const time = scheduleText(job);
  if (time !== undefined) return `schedules the job at ${time}, and also runs it once now unless the platform only schedules cron jobs`;
  const schedule = job?.['schedule'];
  return (isRecord(schedule) ? effectOfEvents(schedule) : undefined) ?? 'runs the job now or, if it is a cron job, may only schedule it';
}
