import type { Selectable } from 'kysely';
import type { DeploymentAction } from '../../contract/index.ts';
import { notFound, refused } from '../common/index.ts';
import type { Runtime } from '../runtime/index.ts';
import type { Db, ServiceTable } from '../store/index.ts';
import { type EngineContext, iso, blockedDueTime } from './context.ts';
import type { DeploymentOrder, DeploymentRequest } from './engine.ts';
import { applyChange, insertDeploymentService, updateEnvironmentState } from './service-changes.ts';
import { canceling, isSettled, statePathOf, refusals } from './lifecycle.ts';
import { requireRoomToDeploy } from './cluster-limits.ts';
import { requireUnlocked } from './cluster-locks.ts';
import { requireNoWindow } from './deployment-windows.ts';
import {
  anyPlanQueue,
  type DeploymentRow,
  type DeploymentServiceRow,
  holdDeployment,
  servicesOf,
} from './deployment-rows.ts';
import { runtimeOfEnvironment } from './tasks.ts';
import { planToApply } from './terraform-plans.ts';
import { removeDeleted, requireDeletable, requireNotBeingDeleted } from './deletion.ts';

type ServiceRow = Selectable<ServiceTable>;

const actionWords: Readonly<Record<DeploymentAction, string>> = {
  DEPLOY: 'deployed',
  RESTART: 'restarted',
  STOP: 'stopped',
  DELETE: 'deleted',
};

const requireActionAllowed = (action: DeploymentAction, service: ServiceRow): void => {
  const refusal = refusals[action];
  const refuse = (reason: string, instead: string) =>
    refused(`${service.name} (${service.kind} ${service.id}) can't be ${actionWords[action]}: ${reason}; ${instead}.`);
  if (refusal?.from.includes(service.deployed_state)) throw refuse(`it is ${service.deployed_state}`, refusal.instead);
  if (action === 'RESTART' && service.deployed_spec === null && isSettled(service.deployed_state)) {
    throw refuse(`no deployment of it has succeeded yet, it is ${service.deployed_state}`, 'deploy it first');
  }
};

const findServices = async (trx: Db, { environmentId, serviceIds }: DeploymentOrder): Promise<ServiceRow[]> => {
  if (serviceIds.length === 0) return [];
  const rows = await trx
    .selectFrom('service')
    .selectAll()
    .where('environment_id', '=', environmentId)
    .where('id', 'in', [...serviceIds])
    .execute();
  const missing = serviceIds.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined) throw notFound(`service of environment ${environmentId}`, missing);
  return rows;
};

const insertDeployment = async (
  trx: Db,
  context: EngineContext,
  order: DeploymentOrder,
  at: number,
): Promise<DeploymentRow> => {
  const ahead = await trx
    .selectFrom('deployment')
    .select('id')
    .where('queue', '=', order.environmentId)
    .where('due_ms', 'is not', null)
    .executeTakeFirst();
  const nothingToDo = order.serviceIds.length === 0;
  return trx
    .insertInto('deployment')
    .values({
      id: context.random.uuid(),
      environment_id: order.environmentId,
      queue: order.environmentId,
      action: order.action,
      status: nothingToDo ? 'SUCCESS' : 'QUEUED',
      origin: order.origin,
      triggered_by: order.triggeredBy,
      canceling: 0,
      takes_environment: order.takesEnvironment ? 1 : 0,
      created_at: iso(at),
      started_at: nothingToDo ? iso(at) : null,
      ended_at: nothingToDo ? iso(at) : null,
      due_ms: nothingToDo ? null : ahead ? blockedDueTime : at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
};

/** Sets the service's displayed state and deployment to those of its latest request. */
const showRequested = (trx: Db, deployment: DeploymentRow, service: ServiceRow) =>
  trx
    .updateTable('service')
    .set({
      deployed_state: statePathOf(service.kind, deployment.action).queued,
      last_deployment_id: deployment.id,
      last_deployment_at: deployment.created_at,
    })
    .where('id', '=', service.id)
    .execute();

/** See Engine.request. */
export async function requestDeployment(
  context: EngineContext,
  trx: Db,
  order: DeploymentOrder,
): Promise<DeploymentRequest> {
  await trx.lock(order.environmentId);
  const at = context.clock.now();
  const environment = await trx
    .selectFrom('environment')
    .select(['id', 'name', 'project_id', 'cluster_id', 'mode'])
    .where('id', '=', order.environmentId)
    .executeTakeFirst();
  if (environment === undefined) throw notFound('environment', order.environmentId);
  await requireUnlocked(trx, environment.cluster_id, at);
  await requireNoWindow(trx, environment, at);
  const services = await findServices(trx, order);
  await (order.action === 'DELETE' ? requireDeletable : requireNotBeingDeleted)(trx, order);
  if (services.length === 0 && order.action !== 'STOP' && !order.takesEnvironment) {
    throw refused(
      `The environment ${environment.name} (${order.environmentId}) has no services that could be ${actionWords[order.action]}.`,
    );
  }
  for (const service of services) requireActionAllowed(order.action, service);
  if (order.action === 'DEPLOY') await requireRoomToDeploy(context, trx, order.environmentId, services);
  const commitIdFor = ({ id }: ServiceRow) => order.commitIds?.[id] ?? order.commitId;
  const planned = new Map<string, Awaited<ReturnType<typeof planToApply>>>();
  if (order.action === 'DEPLOY')
    for (const service of services)
      planned.set(service.id, await planToApply(context, trx, service, commitIdFor(service)));
  const deployment = await insertDeployment(trx, context, order, at);
  for (const service of services) {
    await insertDeploymentService(trx, deployment, service, at, {
      commitId: commitIdFor(service),
      planned: planned.get(service.id),
      restoration: order.restoration,
    });
    await showRequested(trx, deployment, service);
  }
  await updateEnvironmentState(trx, order.environmentId);
  if (services.length === 0) await removeDeleted(context, trx, deployment, [], at);
  return requestOf(deployment, order.serviceIds);
}

const requestOf = (deployment: DeploymentRow, serviceIds: readonly string[]): DeploymentRequest => ({
  id: deployment.id,
  environmentId: deployment.environment_id,
  createdAt: deployment.created_at,
  serviceIds,
});

const cancelService = (
  trx: Db,
  runtime: Runtime,
  deployment: DeploymentRow,
  service: DeploymentServiceRow,
  at: number,
) =>
  applyChange(trx, deployment, service, {
    at,
    row: {
      state: canceling.state,
      due_ms: at + runtime.pauseBefore('canceling', `${deployment.id}/${service.service_id}/cancel`),
    },
  });

/**
 * Why there is nothing to cancel. Runs of jobs by the clock or on request aren't in the environment's queue, which
 * identifies the deployment to cancel.
 */
const nothingToCancel = async (trx: Db, environmentId: string): Promise<Error> => {
  const runs = await trx
    .selectFrom('deployment')
    .innerJoin('deployment_service', 'deployment_service.deployment_id', 'deployment.id')
    .select('deployment_service.name')
    .where('deployment.environment_id', '=', environmentId)
    .whereRef('deployment.queue', '<>', 'deployment.environment_id')
    .where('deployment.due_ms', 'is not', null)
    .orderBy('deployment.seq')
    .execute();
  const what = `The environment ${environmentId} has no deployment under way that could be canceled`;
  if (runs.length === 0) return refused(`${what}.`);
  return refused(
    `${what}, only runs of ${runs.map(({ name }) => name).join(', ')}. Cancel a run at its job (POST /job/<id>/run/cancel): its schedule stays.`,
  );
};

/** See Engine.cancel. */
export async function cancelEnvironmentDeployment(
  context: EngineContext,
  trx: Db,
  environmentId: string,
): Promise<DeploymentRequest> {
  await trx.lock(environmentId);
  const underWay = trx
    .selectFrom('deployment')
    .select('id')
    .where('environment_id', '=', environmentId)
    .where('due_ms', 'is not', null)
    .orderBy('seq')
    .limit(1)
    .$call(trx.sql.held);
  const found =
    (await underWay.where('queue', '=', environmentId).executeTakeFirst()) ??
    (await underWay.where('queue', 'like', anyPlanQueue).executeTakeFirst());
  if (found === undefined) throw await nothingToCancel(trx, environmentId);
  return cancelDeployment(context, trx, await holdDeployment(trx, found.id));
}

/** Cancels a deployment under way, in any queue. @throws ApiProblem 400 if it is being canceled already */
export async function cancelDeployment(
  context: EngineContext,
  trx: Db,
  deployment: DeploymentRow,
): Promise<DeploymentRequest> {
  if (deployment.canceling) throw refused(`The deployment ${deployment.id} is being canceled already.`);
  const at = context.clock.now();
  const services = await servicesOf(trx, deployment.id);
  const runtime = await runtimeOfEnvironment(context, trx, deployment.environment_id);
  await trx.updateTable('deployment').set({ canceling: 1, due_ms: at }).where('id', '=', deployment.id).execute();
  for (const service of services.filter((row) => row.ended_at === null))
    await cancelService(trx, runtime, deployment, service, at);
  await updateEnvironmentState(trx, deployment.environment_id);
  return requestOf(
    deployment,
    services.map((service) => service.service_id),
  );
}
