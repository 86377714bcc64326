import { operations, terminalOutcome, type InputOf } from '../../src/contract/index.ts';
import {
  at,
  defineTool,
  isRecord,
  naming,
  notKnown,
  planOperation,
  reading,
  readUses,
  record,
  recordsIn,
  show,
  textAt,
  textOf,
  type JsonRecord,
  type NextCall,
  type NoOpCheck,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { untilEnded, waitForEnd } from '../shared/wait-for-end.ts';

const runsRead = readUses('which runs of it are under way is not known', operations.list_job_deployments);

type Reads = Pick<ToolContext, 'attempt'>;

/** The newest runs and deployments of a job; undefined if they can't be read. */
async function runsOf(jobId: unknown, { attempt }: Reads): Promise<readonly JsonRecord[] | undefined> {
  const history = await attempt(operations.list_job_deployments, { job_id: String(jobId) });
  return history && recordsIn(history.results);
}

const executionId = (run: JsonRecord): string | undefined => textAt(run, 'identifier.execution_id');

const isEnd = (state: unknown): boolean => terminalOutcome('DEPLOY', String(state)) !== undefined;

const hasEnded = ({ status }: JsonRecord): boolean => isEnd(status);

/** The run to cancel: the one with this id, or the oldest that has not ended. */
const runToCancel = (runs: readonly JsonRecord[] | undefined, wanted: unknown): JsonRecord | undefined =>
  wanted === undefined
    ? runs?.findLast((run) => !hasEnded(run))
    : runs?.find((run) => executionId(run) === show(wanted).toLowerCase());

/** A run with its present state, as its job's history shows it. */
const asSeen = (run: JsonRecord, row: JsonRecord): JsonRecord => ({
  ...run,
  state: row['status'],
  total_duration: row['total_duration'],
});

/** A requested run as the job's history shows it at present; undefined if it doesn't. */
async function runNow(context: ToolContext, job: unknown, asked: JsonRecord): Promise<JsonRecord | undefined> {
  const row = (await runsOf(job, context))?.find((one) => executionId(one) === textOf(asked, 'execution_id'));
  return row && asSeen(asked, row);
}

const answer = async (
  { wait, job_id }: JsonRecord,
  context: ToolContext,
  [run = {}]: readonly JsonRecord[],
): Promise<JsonRecord> =>
  wait === true
    ? untilEnded(context, run, {
        hasEnded: ({ state }) => isEnd(state),
        statusOf: ({ state }) => String(state),
        read: () => runNow(context, job_id, run),
      })
    : run;

const render = record({ first: ['execution_id', 'state', 'arguments', 'total_duration'] });

function next(run: JsonRecord, { job_id: job }: JsonRecord): readonly NextCall[] {
  const state = String(run['state']);
  const since = textOf(run, 'created_at');
  const lines = {
    tool: 'search_logs',
    arguments: { service: job, level: 'debug', ...(since !== undefined && { since }), oldest: true },
    why: 'all lines since it was asked for',
  };
  if (!isEnd(state))
    return [
      { tool: 'list_job_deployments', arguments: { job_id: job }, why: 'not ended yet: its execution_id has a row' },
      lines,
    ];
  return state === 'DEPLOYED' || state === 'CANCELED'
    ? [lines]
    : [
        {
          tool: 'diagnose_deployment',
          arguments: { service: job, deployment_id: run['execution_id'] },
          why: 'why it failed',
        },
      ];
}

/** The arguments that a job has for its schedule; undefined if it has none of its own. */
function usualArguments(job: JsonRecord): unknown {
  const schedule = isRecord(job['schedule']) ? job['schedule'] : {};
  return at(schedule, 'cronjob.arguments') ?? at(schedule, 'on_start.arguments');
}

const whatRuns: Preview = reading(
  readUses('the plan does not show the arguments that the job usually has', operations.get_job),
  async ({ job_id, arguments: given }, { reader }) => {
    const job = await reader.attempt(operations.get_job, { job_id: String(job_id) });
    const usual = job && usualArguments(job);
    const its = job === undefined ? notKnown('which arguments it usually has') : undefined;
    const usually = usual === undefined ? 'those of its image' : show(usual);
    return [
      its ??
        (given === undefined ? `Its arguments: ${usually}.` : `Usually: ${usually}. They stay in its configuration.`),
    ];
  },
);

/** States in which the platform runs no job, and why. */
const notRunnable: Readonly<Record<string, string>> = {
  READY: 'this job was never deployed, so there is nothing to run',
  STOPPED: 'this job is stopped, and nothing of it is run',
};

const jobStateReads = readUses('whether the job was ever deployed is not known', operations.get_job_status);

export const runJob = defineTool(operations.run_job, {
  toolset: 'administration',
  title: 'Run a job once with other arguments',
  description: 'Run a job (script, import, export, migration) once now, with other arguments.',
  input: waitForEnd,
  expand: async (args, context) => {
    const { wait: _, ...input } = args as InputOf<typeof operations.run_job> & JsonRecord;
    const status = await context.attempt(operations.get_job_status, { job_id: input.job_id });
    const why = notRunnable[String(textOf(status, 'state'))];
    if (why !== undefined)
      context.refuse(why, naming`Nothing was changed. Deploy it first, with ${'deploy_service'}: that may run it too.`);
    return [planOperation(operations.run_job, input)];
  },
  plan: () => [
    'Runs the version that is deployed: changes of its configuration since then are no part of it.',
    'What a run does is not taken back, also where it fails or is canceled.',
  ],
  preview: whatRuns,
  reads: [...runsRead, ...jobStateReads],
  answer,
  render,
  next,
});

const runLine = (run: JsonRecord): string =>
  `Cancels the run ${show(executionId(run))} of ${show(at(run, 'auditing_data.created_at'))}, by ${show(at(run, 'auditing_data.triggered_by'))}.`;

const canceled: Preview = reading(runsRead, async ({ job_id, execution_id }, { reader }) => {
  const run = runToCancel(await runsOf(job_id, reader), execution_id);
  return [run ? runLine(run) : notKnown('which run that is')];
});

/** Whether nothing of the job runs, or the run has ended. */
const notRunning: NoOpCheck = reading(runsRead, async ({ job_id, execution_id }, { reader }) => {
  const runs = await runsOf(job_id, reader);
  const run = runToCancel(runs, execution_id);
  if (runs === undefined || (run && !hasEnded(run))) return undefined;
  if (run) return { why: `that run has ended already, as ${show(run['status'])}` };
  return execution_id === undefined ? { why: 'no run of it is under way' } : undefined;
});

export const cancelJobRun = defineTool(operations.cancel_job_run, {
  toolset: 'administration',
  title: 'Stop a run of a job',
  description: 'Stop, cancel or kill a run of a job under way; its schedule stays.',
  input: waitForEnd,
  expand: async (args, context) => {
    const { job_id, execution_id } = args as InputOf<typeof operations.cancel_job_run>;
    const run = runToCancel(await runsOf(job_id, context), execution_id);
    // Another run may be under way when somebody agrees.
    const chosen = execution_id ?? (run && executionId(run));
    return [
      planOperation(operations.cancel_job_run, { job_id, ...(chosen !== undefined && { execution_id: chosen }) }),
    ];
  },
  plan: () => [
    'Its containers are told to end, and it is not tried again. What it has done so far stays as it is.',
    'Its schedule stays: the next run comes by the clock.',
  ],
  preview: canceled,
  noOpCheck: notRunning,
  reads: runsRead,
  answer,
  render,
  next,
});
