import type { Selectable } from 'kysely';
import type * as z from 'zod';
import type { JobRun } from '../../contract/index.ts';
import { refused, type ServiceSpecs } from '../common/index.ts';
import type { Db, ServiceTable } from '../store/index.ts';
import type { EngineContext } from './context.ts';
import { type DeploymentRow, type DeploymentServiceRow, holdDeployment, servicesOf } from './deployment-rows.ts';
import { cancelDeployment } from './deployment-requests.ts';
import { insertAside, requireAvailable } from './deployments-aside.ts';
import type { Requester } from './engine.ts';
import { deploymentUnderWay, runQueue } from './job-runs.ts';
import { insertDeploymentService } from './service-changes.ts';

type Service = Selectable<ServiceTable>;
type Run = z.output<typeof JobRun>;
type JobSpec = ServiceSpecs['job'];

/** How refusals name a job. */
const called = ({ name, id }: Pick<Service, 'name' | 'id'>): string => `${name} (job ${id})`;

const runOf = (
  { id, created_at, triggered_by }: DeploymentRow,
  { service_id: job_id, state, spec }: Pick<DeploymentServiceRow, 'service_id' | 'state' | 'spec'>,
): Run => {
  const { run_arguments: given } = JSON.parse(spec ?? '{}') as Partial<JobSpec>;
  return { execution_id: id, job_id, state, created_at, triggered_by, ...(given && { arguments: [...given] }) };
};

const serviceRow = (trx: Db, deploymentId: string, serviceId: string): Promise<DeploymentServiceRow> =>
  trx
    .selectFrom('deployment_service')
    .selectAll()
    .where('deployment_id', '=', deploymentId)
    .where('service_id', '=', serviceId)
    .executeTakeFirstOrThrow();

/** The configuration of a run with these arguments; undefined if the job runs only when it is stopped or deleted. */
function runSpec(spec: JobSpec, given: readonly string[] | undefined): JobSpec | undefined {
  const { cronjob, on_start, on_stop, on_delete } = spec.schedule ?? {};
  if (cronjob === undefined && on_start === undefined && (on_stop ?? on_delete) !== undefined) return undefined;
  if (given === undefined) return spec;
  const own = { arguments: [...given] };
  const schedule = cronjob
    ? { cronjob: { ...cronjob, ...own } }
    : { ...spec.schedule, on_start: { ...on_start, ...own } };
  return { ...spec, schedule, run_arguments: [...given] };
}

/**
 * Accepts a run of a job's deployed version. Its configuration, schedule and state stay as they are.
 * @param given the arguments of this run; undefined for those of the job
 * @throws ApiProblem 400 if no version of it is deployed, if it is stopped, deploying or running, and while its cluster
 *   is locked
 */
export async function requestRun(
  context: EngineContext,
  trx: Db,
  job: Service,
  requester: Requester,
  given: readonly string[] | undefined,
): Promise<Run> {
  const at = await requireAvailable(context, trx, job);
  const refuse = (why: string, instead: string) => refused(`${called(job)} can't be run: ${why}. ${instead}`);
  if (job.deployed_spec === null) throw refuse('no deployment of it has succeeded yet', 'Deploy it first.');
  if (job.deployed_state === 'STOPPED') throw refuse('it is STOPPED', 'Deploy it first: that also runs it.');
  const running = await deploymentUnderWay(trx, job.id);
  if (running !== undefined)
    throw refuse(`a run or deployment of it is under way (${running.id})`, 'Wait for its end, or cancel it.');
  const spec = runSpec(JSON.parse(job.deployed_spec) as JobSpec, given);
  if (spec === undefined)
    throw refuse('it runs only when it is stopped or deleted, as its schedule says', 'Give it an on_start command.');
  const deployment = await insertAside(context, trx, job, runQueue(job.id), requester, at);
  await insertDeploymentService(trx, deployment, job, at, {
    version: { spec: JSON.stringify(spec), commit: job.deployed_commit, record: job.deployed_record },
  });
  return runOf(deployment, await serviceRow(trx, deployment.id, job.id));
}

/** The deployment to cancel: the requested one, or the one under way. @throws ApiProblem 400 if there is none */
async function runToCancel(trx: Db, job: Service, executionId: string | undefined): Promise<DeploymentRow> {
  const refuse = (why: string) => refused(`No run of ${called(job)} was canceled: ${why}.`);
  if (executionId === undefined) {
    const running = await deploymentUnderWay(trx, job.id);
    if (running === undefined) throw refuse('none is under way');
    return holdDeployment(trx, running.id);
  }
  const row = await trx
    .selectFrom('deployment_service')
    .select(['state', 'ended_at'])
    .where('deployment_id', '=', executionId)
    .where('service_id', '=', job.id)
    .executeTakeFirst();
  if (row === undefined) throw refuse(`it has none with the id ${executionId}`);
  if (row.ended_at !== null) throw refuse(`${executionId} has ended already, as ${row.state}`);
  return holdDeployment(trx, executionId);
}

/**
 * Cancels a run of a job: scheduled, requested, or as part of a deployment of this job alone. Its schedule stays.
 * @param executionId default: the run under way
 * @throws ApiProblem 400 if there is none, or if its deployment also deploys other services
 */
export async function cancelRun(
  context: EngineContext,
  trx: Db,
  job: Service,
  executionId: string | undefined,
): Promise<Run> {
  await trx.lock(job.environment_id);
  const deployment = await runToCancel(trx, job, executionId?.toLowerCase());
  const others = (await servicesOf(trx, deployment.id)).filter(({ service_id: id }) => id !== job.id);
  if (others.length > 0)
    throw refused(
      `The run of ${called(job)} belongs to the deployment ${deployment.id}, which also deploys ${others.map(({ name }) => name).join(', ')}. Cancel the deployment of the environment: that cancels all of it.`,
    );
  if (deployment.action !== 'DEPLOY')
    throw refused(`${deployment.id} is no run of ${called(job)}: it takes it down. Cancel it at the environment.`);
  await cancelDeployment(context, trx, deployment);
  return runOf(deployment, await serviceRow(trx, deployment.id, job.id));
}
