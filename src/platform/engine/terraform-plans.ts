import type * as z from 'zod';
import type { Selectable } from 'kysely';
import { readCondition, type TerraformPlan, type TerraformPlans } from '../../contract/index.ts';
import { type DeployedCommit, refused } from '../common/index.ts';
import type { Runtime } from '../runtime/index.ts';
import type { Db, ServiceTable } from '../store/index.ts';
import type { EngineContext } from './context.ts';
import { type DeploymentServiceRow, planQueue } from './deployment-rows.ts';
import { insertAside, requireAvailable } from './deployments-aside.ts';
import type { Requester } from './engine.ts';
import { commitPage, gitUrl } from './history.ts';
import { insertDeploymentService, type PlanInputs } from './service-changes.ts';
import { runtimeOfEnvironment } from './tasks.ts';

type Service = Selectable<ServiceTable>;
type Plan = z.output<typeof TerraformPlan>;

/** How many plans are listed. */
const listed = 5;

/** The newest plans of a service with their inputs, newest first. */
const plansOf = (db: Db, serviceId: string, limit: number) =>
  db
    .selectFrom('deployment')
    .innerJoin('deployment_service as made', 'made.deployment_id', 'deployment.id')
    .select([
      'deployment.id',
      'deployment.seq',
      'deployment.status',
      'deployment.created_at',
      'deployment.ended_at',
      'deployment.triggered_by',
      'made.spec',
      'made.commit',
      'made.record',
      'made.digest',
      'made.outdated',
      'made.reason',
    ])
    .where('deployment.queue', '=', planQueue(serviceId))
    .orderBy('deployment.seq', 'desc')
    .limit(limit)
    .execute();

type PlanRow = Awaited<ReturnType<typeof plansOf>>[number];

/**
 * The commit and record of a service's last plan or deployment that has a record: they suffice to remove what it may
 * have created.
 */
export const lastPlanned = async (
  db: Db,
  serviceId: string,
): Promise<Pick<DeploymentServiceRow, 'commit' | 'record'>> =>
  (await db
    .selectFrom('deployment_service')
    .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
    .select(['deployment_service.commit', 'deployment_service.record'])
    .where('deployment_service.service_id', '=', serviceId)
    .where('deployment_service.record', 'is not', null)
    .orderBy('deployment.seq', 'desc')
    .limit(1)
    .executeTakeFirst()) ?? { commit: null, record: null };

/** Why no deployment can apply the newest plan of a service, as part of a sentence; undefined if one can. */
async function problemOf(db: Db, service: Service, plan: PlanRow, runtime: Runtime): Promise<string | undefined> {
  if (plan.ended_at === null) return `its plan is still being made (${plan.id})`;
  if (plan.status !== 'SUCCESS')
    return `its newest plan (${plan.id}) ${plan.status === 'CANCELED' ? 'was canceled' : 'failed'}`;
  if (plan.record === null || runtime.planOf?.(plan.record) === undefined)
    return `its newest plan (${plan.id}) could not be read`;
  const later = await db
    .selectFrom('deployment_service')
    .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
    .select(['deployment.id'])
    .where('deployment_service.service_id', '=', service.id)
    .where('deployment.seq', '>', plan.seq)
    .where('deployment.action', 'in', ['DEPLOY', 'DELETE'])
    .orderBy('deployment.seq')
    .limit(1)
    .executeTakeFirst();
  if (later !== undefined)
    return `its newest plan (${plan.id}) was taken by the deployment ${later.id}, and can be applied once`;
  if (plan.spec !== service.spec) return `its configuration was changed after the newest plan (${plan.id}) was made`;
  return undefined;
}

const commitOf = ({ commit }: PlanRow): DeployedCommit | undefined =>
  commit === null ? undefined : (JSON.parse(commit) as DeployedCommit);

/**
 * The plan that a deployment of a Terraform service applies. The deployment applies nothing else.
 * @param commitId the requested commit, if any
 * @returns undefined if Terraform plans and applies in one step
 * @throws ApiProblem 400 if no plan can be applied, with what to do
 */
export async function planToApply(
  context: Pick<EngineContext, 'runtimes'>,
  trx: Db,
  service: Service,
  commitId: string | undefined,
): Promise<PlanInputs | undefined> {
  const runtime = await runtimeOfEnvironment(context, trx, service.environment_id);
  if (service.kind !== 'terraform' || !runtime.appliesPlans) return undefined;
  const refuse = (why: string) =>
    refused(
      `${service.name} (terraform ${service.id}) can't be deployed: ${why}. A deployment applies a plan that was shown before: create one (plan_terraform, POST /terraform/${service.id}/plan), and deploy it then.`,
    );
  const [plan] = await plansOf(trx, service.id, 1);
  if (plan === undefined) throw refuse('no plan of it was made');
  const problem = await problemOf(trx, service, plan, runtime);
  if (problem !== undefined) throw refuse(problem);
  const planned = commitOf(plan)?.git_commit_id;
  if (commitId !== undefined && planned?.startsWith(commitId.toLowerCase()) !== true)
    throw refuse(`its newest plan (${plan.id}) is of commit ${planned ?? 'unknown'}, not of ${commitId}`);
  const { spec, commit, record, digest, outdated } = plan;
  return { spec, commit, record, digest, outdated };
}

async function shownPlan(db: Db, service: Service, row: PlanRow, runtime: Runtime, isNewest: boolean): Promise<Plan> {
  const commit = commitOf(row);
  const shown = row.status === 'SUCCESS' && row.record !== null ? runtime.planOf?.(row.record) : undefined;
  const why = row.reason === null ? undefined : readCondition(row.reason);
  const problem = isNewest ? await problemOf(db, service, row, runtime) : 'a newer plan was made';
  return {
    id: row.id,
    status: row.status,
    created_at: row.created_at,
    ...(row.ended_at !== null && { ended_at: row.ended_at }),
    triggered_by: row.triggered_by,
    ...(commit && { commit: { ...commit, ...commitPage(gitUrl(JSON.parse(row.spec ?? '{}')), commit.git_commit_id) } }),
    ...(why && { reason: why.message, condition: why }),
    ...(shown && { digest: shown.digest, text: shown.text, is_shortened: shown.isShortened }),
    ...(shown?.counts && {
      to_add: shown.counts.add,
      to_change: shown.counts.change,
      to_destroy: shown.counts.destroy,
    }),
    ...(problem !== undefined && { obstacle: `No deployment can apply it: ${problem}.` }),
  };
}

/** The newest plans of a Terraform service, newest first, and whether a deployment requires one. */
export async function terraformPlans(
  context: Pick<EngineContext, 'runtimes'>,
  db: Db,
  service: Service,
): Promise<z.output<typeof TerraformPlans>> {
  const runtime = await runtimeOfEnvironment(context, db, service.environment_id);
  const plans: Plan[] = [];
  for (const [index, row] of (await plansOf(db, service.id, listed)).entries())
    plans.push(await shownPlan(db, service, row, runtime, index === 0));
  return { results: plans, needs_plan: runtime.appliesPlans === true };
}

/**
 * Accepts a request to plan what a deployment of a Terraform service would change.
 * @throws ApiProblem 400 while another plan of it is under way, while it is being deleted, and while its cluster is
 *   locked
 */
export async function requestPlan(
  context: EngineContext,
  trx: Db,
  service: Service,
  requester: Requester,
  commitId?: string,
): Promise<Plan> {
  const at = await requireAvailable(context, trx, service);
  const [last] = await plansOf(trx, service.id, 1);
  if (last?.ended_at === null)
    throw refused(`A plan of ${service.name} is being made already (${last.id}). Wait until it has ended.`);
  const deployment = await insertAside(context, trx, service, planQueue(service.id), requester, at);
  await insertDeploymentService(trx, deployment, service, at, { commitId });
  return (await terraformPlans(context, trx, service)).results[0]!;
}
