import { operations } from '../../src/contract/index.ts';
import { deploymentIdsIn, isStatusOf, runStepIn } from '../../src/analysis/index.ts';
import {
  at,
  recordsIn,
  rowsIn,
  scheduleText,
  textOf,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { readAspect, type Subject } from './any-service.ts';
import type { WaitResult } from './wait-for-end.ts';

type Steps = WaitResult['status']['steps'];

/** Whether a deployment of a cron job also ran it, and when it runs next, as text; undefined for another kind of job. */
async function runText(context: ToolContext, job: JsonRecord | undefined, steps: Steps): Promise<string | undefined> {
  const schedule = scheduleText(job);
  if (schedule === undefined) return undefined;
  // Loaded on demand: it has a parser of cron expressions.
  const { nextDueOf } = await import('../../src/analysis/due-run.ts');
  const run = runStepIn(steps?.details);
  const end = run?.status === 'SUCCESS' ? ', and that run ended well' : '';
  const ran = run ? `this deployment also ran it once${end}` : 'whether this deployment also ran it is not told';
  const next = nextDueOf(job, context.now());
  return `scheduled at ${schedule}; ${ran}${next === undefined ? '' : `; next run due at ${next}`}`;
}

/** The facts about a deployed cron job: whether it has run now, and when it will run. */
export const runOfCronJob = async (
  context: ToolContext,
  { kind, id }: Subject,
  { steps }: WaitResult['status'],
): Promise<string | undefined> =>
  kind === 'job' ? runText(context, await readAspect(context, { kind, id }, 'configuration'), steps) : undefined;

/** The same for the cron jobs among services that were deployed well, each with its name. */
export async function runsOfCronJobs(
  context: ToolContext,
  environmentId: string,
  deployed: readonly { readonly id: unknown; readonly steps: Steps }[],
): Promise<readonly string[] | undefined> {
  if (deployed.length === 0) return undefined;
  const services = rowsIn(await context.attempt(operations.list_services, { environment_id: environmentId }));
  const texts = await Promise.all(
    deployed.map(async ({ id, steps }) => {
      const job = services.find((row) => row['id'] === id);
      const text = await runText(context, job, steps);
      return text === undefined ? [] : [`${textOf(job, 'name') ?? String(id)}: ${text}`];
    }),
  );
  const all = texts.flat();
  return all.length > 0 ? all : undefined;
}

/** The same for a deployment of a whole environment, by the statuses of its jobs that are about this deployment. */
export async function runsInEnvironment(
  context: ToolContext,
  { kind, id }: Subject,
  status: WaitResult['status'],
): Promise<readonly string[] | undefined> {
  if (kind !== 'environment') return undefined;
  const deployments = deploymentIdsIn(status);
  const statuses: JsonRecord | undefined = await context.attempt(operations.get_environment_status, {
    environment_id: id,
  });
  const jobs = recordsIn(statuses?.['jobs']).filter(
    (row) => at(row, 'status_details.action') === 'DEPLOY' && deployments.some((one) => isStatusOf(row, one)),
  );
  return runsOfCronJobs(
    context,
    id,
    jobs.map((row) => ({ id: row['id'], steps: row['steps'] as Steps })),
  );
}
