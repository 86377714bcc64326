import { between, colored, disclaimer, type Scene, type Script, took } from './script.ts';

/** One run of a job, to its exit. */
export function jobScript({ task, random, seconds }: Scene): Script {
  const { service } = task;
  if (service.kind !== 'job') return { seconds, lines: [] };
  const { source, job_type, max_duration_seconds, schedule } = service.spec;
  const rows = between(random, 120, 9800);
  const lines = [
    disclaimer,
    `Pulled image ${source.image.image_name}:${source.image.tag} in ${took(random, 0.5, 3)}`,
    ...(job_type === 'CRON' && schedule ? [`Scheduled at "${schedule.cronjob.scheduled_at}" (${schedule.cronjob.timezone}); running once now`] : []),
    `${colored.cyan('INFO')} job started`,
    `${colored.cyan('INFO')} processing ${rows} rows`,
    `${colored.yellow('WARN')} ${between(random, 1, 9)} rows skipped: already processed`,
  ];
  if (max_duration_seconds < seconds) {
    const failure = `The job was stopped after its max_duration_seconds of ${max_duration_seconds} seconds`;
    return { seconds: max_duration_seconds, lines: [...lines, colored.red('DeadlineExceeded: job was active longer than specified deadline'), failure], failure };
  }
  return { seconds, lines: [...lines, `${colored.cyan('INFO')} ${rows} rows processed in ${took(random, 1, 6)}`, colored.green('Job finished with exit code 0')] };
}
