import * as z from 'zod';
import { operations, scheduleKinds, type InputOf } from '../../src/contract/index.ts';
import { readDeployment, runKindsOf, saysNeverDeployed, type HistoryItem } from '../../src/analysis/index.ts';
import {
  at,
  defineTool,
  isRecord,
  naming,
  omit,
  pick,
  readUses,
  record,
  recordsIn,
  scheduleText,
  table,
  textOf,
  type JsonRecord,
  type PlannedOperation,
  type Renderer,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { alertsAbout, readsOfAlerts } from '../shared/firing-alerts.ts';
import { ifPossible } from '../shared/if-possible.ts';
import { lateLines, lateNames, runFacts, runsAtEvents } from '../shared/late-runs.ts';
import { unlessFailing } from '../shared/places.ts';
import { joined } from '../shared/plan-parts.ts';
import {
  newService,
  serviceFields,
  serviceUpdate,
  withHealthchecks,
  withRegistryId,
} from '../shared/service-update.ts';
import { scheduleChange } from './schedule-change.ts';

const scheduleFaults = {
  unreadable: 'the schedule of the job is no cron expression that can be read',
  never_due: 'the schedule of the job never comes due',
  no_such_time_zone: 'there is no time zone of that name',
} as const;

type Expand = (args: JsonRecord, context: ToolContext) => Promise<readonly PlannedOperation[]>;

/** Refuses a schedule that no platform could keep, before anything is planned or asked about. */
const withReadableSchedule =
  (expand: Expand): Expand =>
  async (args, context) => {
    const cronjob = at(args, 'schedule.cronjob');
    if (isRecord(cronjob)) {
      // Loaded on demand: it has a parser of cron expressions.
      const { scheduleFaultOf } = await import('../../src/analysis/due-run.ts');
      const [scheduledAt, timezone] = [textOf(cronjob, 'scheduled_at'), textOf(cronjob, 'timezone')];
      const fault = scheduleFaultOf({ scheduledAt, timezone }, context.now());
      if (fault !== undefined)
        context.refuse(
          scheduleFaults[fault],
          `Nothing was changed. ${fault === 'no_such_time_zone' ? 'Time zones are named as Europe/Paris is' : 'Its five fields are minute, hour, day, month and weekday'}.`,
        );
    }
    return expand(args, context);
  };

/** The input descriptions, in job tools, of members that only jobs have. */
const jobFields = {
  fields: {
    source: '{image: {image_name, tag, registry}} or {docker: {git_repository: {url, branch}, dockerfile_path}}.',
    schedule:
      '{cronjob: {scheduled_at: "0 3 * * *", timezone, entrypoint}} or {on_start, on_stop, on_delete: ' +
      '{entrypoint, arguments}}.',
  },
  folded: ['source', 'schedule'],
  hidden: ['port', 'description'],
};

const newJob = newService(operations.create_job);

export const createJob = defineTool(operations.create_job, {
  toolset: 'services',
  title: 'Schedule a new job: cron, script, task',
  description:
    'Add a cron job: run a scheduled task or script (every night, hour, Monday), or on start, stop, deletion of ' +
    'its environment; from an image or Git repo; not deployed.',
  ...serviceFields({ ...jobFields, fields: { ...jobFields.fields, name: 'Unique in the environment.' } }),
  ...newJob,
  expand: withReadableSchedule(newJob.expand),
  render: record({ first: ['name', 'id', 'job_type', 'schedule'] }),
  next: [
    'Not deployed yet: until it is, nothing runs, by the clock or otherwise.',
    naming`${'deploy_service'} deploys it: that sets its schedule. Some platforms also run it once at each deployment.`,
    naming`${'search_logs'} of it shows what a run wrote.`,
  ],
});

/** Converts a job to a request. */
function asRequest({ source, ...job }: JsonRecord): JsonRecord {
  const image = isRecord(source) ? source['image'] : undefined;
  return withHealthchecks({
    ...job,
    source: isRecord(source) && isRecord(image) ? { ...source, image: withRegistryId(image) } : source,
  });
}

const jobUpdate = serviceUpdate(operations.update_job, {
  title: 'Change a job or cron job: another time',
  description:
    'Change a job or cron job: another schedule (time, hourly, morning), image tag, branch, command, memory, CPU, ' +
    'retries, longest run.',
  exclusive: ['source'],
  kinds: { schedule: scheduleKinds },
  asRequest,
  ...jobFields,
});

export const updateJob = defineTool(operations.update_job, {
  ...jobUpdate,
  expand: withReadableSchedule(jobUpdate.expand),
  preview: joined(jobUpdate.preview, scheduleChange),
});

const offTexts: Readonly<Record<string, string>> = {
  stopped: ', but it is stopped: no run begins by itself until it is deployed',
  never_deployed: ', but it was never deployed: until it is, no run begins by itself',
};

/** Why the schedule of a job is not in force, if its newest deployments, newest first, tell. */
function scheduleOff(history: JsonRecord, page: number): string | undefined {
  if (page > 1) return undefined;
  const [newest] = recordsIn(history['results']);
  if (!newest) return 'never_deployed';
  return at(newest, 'status_details.action') === 'STOP' && newest['status'] === 'STOPPED' ? 'stopped' : undefined;
}

/** When a deployed cron job runs next, and whether a run is overdue; nothing if its state isn't known. */
async function runsOf(context: ToolContext, id: string, configuration: JsonRecord | undefined): Promise<JsonRecord> {
  const status = await unlessFailing(context.attempt(operations.get_job_status, { job_id: id }));
  return status ? runFacts(context, { kind: 'job', id, configuration, status }) : {};
}

/** The rows of a history, each with how it came about. */
async function withKinds(results: readonly JsonRecord[], job: JsonRecord | undefined): Promise<readonly JsonRecord[]> {
  // Loaded on demand: it has a parser of cron expressions.
  const { beganWhenDueFor } = await import('../../src/analysis/due-run.ts');
  const kinds = runKindsOf(
    results.map((row) => readDeployment(row as HistoryItem)),
    beganWhenDueFor(job),
  );
  return results.map((row, index) => ({ ...row, kind: kinds[index]! }));
}

/**
 * Where no run by the schedule of a cron job is, given rows of its history; undefined if one is among them, and without
 * rows.
 */
function noScheduledRun(rows: readonly JsonRecord[], { page, page_size: size }: JsonRecord): string | undefined {
  const kinds = rows.map(({ kind }) => kind);
  if (kinds.length === 0 || kinds.includes('by schedule')) return undefined;
  if (kinds.includes('not told')) return 'known to be among these';
  return Number(page) === 1 && rows.length < Number(size) ? 'on record' : 'among these';
}

/** Whether the status of a job says that it was never deployed; false where that isn't known. */
async function isNeverDeployed(context: ToolContext, id: string): Promise<boolean> {
  const status = await unlessFailing(context.attempt(operations.get_job_status, { job_id: id }));
  return status !== undefined && (status.state === 'READY' || saysNeverDeployed(status));
}

const facts = ['schedule', 'schedule_off', 'no_run_by_schedule', 'deployed', 'next_run', ...lateNames];

/** The runs, and when more are due by the clock: without it, nobody sees that one is missing. */
const withSchedule = (runs: Renderer): Renderer => ({
  ...runs,
  view: (answer) => ({ ...runs.view(answer), ...pick(answer, facts) }),
  text: ({ schedule, schedule_off: off, no_run_by_schedule: none, deployed, next_run: next, ...view }) =>
    [
      runs.text(omit(view, lateNames)),
      ...(deployed === 'never' ? ['It was never deployed.'] : []),
      ...(typeof none === 'string' ? [`No run by its schedule is ${none}.`] : []),
      ...(typeof schedule === 'string'
        ? [`Scheduled at ${schedule}${typeof off === 'string' ? offTexts[off] : ''}.`]
        : []),
      ...(typeof next === 'string' ? [`Next run: ${next}.`] : []),
      ...lateLines(view),
    ].join('\n'),
  only: (columns) => withSchedule(runs.only?.(columns) ?? runs),
});

export const listJobDeployments = defineTool(operations.list_job_deployments, {
  toolset: 'services',
  title: 'Last runs, deployments of a job, errors',
  description: 'Run history of a job or cron job: success or failure (fail), when, how often, how long, version.',
  reads: [
    ...readUses('when it is scheduled is not shown', operations.get_job),
    ...readUses('when it runs next, and whether a run of it is overdue, is not known', operations.get_job_status),
    ...readsOfAlerts,
  ],
  output: operations.list_job_deployments.response.extend({ schedule: z.string().optional() }),
  answer: async (args, context) => {
    const input = args as InputOf<typeof operations.list_job_deployments>;
    const [history, job, alerts = []] = await Promise.all([
      context.read(operations.list_job_deployments, input),
      unlessFailing(context.attempt(operations.get_job, { job_id: input.job_id })),
      ifPossible(context, 'Whether alerts fire about it', () => alertsAbout(context, [input.job_id])),
    ]);
    const schedule = scheduleText(job);
    const off = schedule === undefined ? undefined : scheduleOff(history, input.page ?? 1);
    const results = history.results && (await withKinds(recordsIn(history.results), job));
    const none = schedule === undefined ? undefined : noScheduledRun(results ?? [], history);
    const isEmpty = results?.length === 0 && (input.page ?? 1) === 1;
    return {
      ...history,
      ...(results && { results }),
      ...(schedule !== undefined && { schedule }),
      ...(none !== undefined && { no_run_by_schedule: none }),
      ...(isEmpty && off === undefined && (await isNeverDeployed(context, input.job_id)) && { deployed: 'never' }),
      ...runsAtEvents(job),
      ...(off !== undefined && { schedule_off: off }),
      ...(schedule !== undefined && off === undefined && (await runsOf(context, input.job_id, job))),
      ...(alerts.length > 0 && { alerts }),
    };
  },
  render: withSchedule(
    table('history entry', [
      'kind',
      'status',
      'auditing_data.created_at',
      'total_duration',
      'auditing_data.triggered_by',
      'auditing_data.origin',
      'status_details.action',
      'details.commit.git_commit_id',
      'details.commit.message',
      'details.image.image_name',
      'details.image.tag',
      'identifier.execution_id',
      'identifier.name',
    ]),
  ),
});
