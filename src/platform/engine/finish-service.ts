import type { EventKind } from '../../contract/resources/webhook.ts';
import type { DeploymentState } from '../../contract/states.ts';
import type { Db } from '../store/database.ts';
import { serviceSettled } from './alert-rules.ts';
import { type EngineContext, iso } from './context.ts';
import { scheduleJobRuns } from './job-runs.ts';
import { isAnnounced, canceling, failedStates } from './lifecycle.ts';
import { pruneLines } from './logs.ts';
import { type DeploymentRow, type DeploymentServiceRow, isScheduledRun, servicesOf } from './deployment-rows.ts';
import { applyChange, type DeploymentServiceChange } from './service-changes.ts';

/** How a service's part in a deployment ends. */
export interface ServiceOutcome extends Omit<DeploymentServiceChange, 'row' | 'announced'> {
  readonly state: DeploymentState;
  readonly succeeded: boolean;
  /** Why it did not end well. */
  readonly reason: string | null;
}

/** The end of a service that goes no further, with a line in its log that says why. */
export const canceledOutcome = (at: number, reason: string): ServiceOutcome => ({
  at, state: canceling.end, succeeded: false, reason, lines: [{ at, message: reason, pod: 'platform', version: '' }],
});

/** What runs changes with a good end only: a failed deployment leaves the previous version running. */
const saveOutcome = async (trx: Db, deployment: DeploymentRow, row: DeploymentServiceRow, outcome: ServiceOutcome): Promise<void> => {
  await trx
    .updateTable('service').set({ last_deployment_at: iso(outcome.at) }).where('id', '=', row.service_id).where('last_deployment_id', '=', deployment.id).execute();
  if (!outcome.succeeded || deployment.action !== 'DEPLOY' || isScheduledRun(deployment)) return;
  const { outdated } = await trx
    .selectFrom('deployment_service').select('outdated').where('deployment_id', '=', deployment.id).where('service_id', '=', row.service_id).executeTakeFirstOrThrow();
  await trx
    .updateTable('service')
    .set({ deployed_spec: row.spec, deployed_commit: row.commit, deployment_status: outdated ? 'OUT_OF_DATE' : 'UP_TO_DATE' })
    .where('id', '=', row.service_id)
    .execute();
};

const eventOf = (deployment: DeploymentRow, good: boolean): EventKind | undefined =>
  isAnnounced(deployment.action) && !isScheduledRun(deployment) ? (good ? 'DEPLOYMENT_SUCCEEDED' : 'DEPLOYMENT_FAILED') : undefined;

const endService = async (context: EngineContext, trx: Db, deployment: DeploymentRow, row: DeploymentServiceRow, outcome: ServiceOutcome): Promise<void> => {
  const { state, succeeded: good, reason, ...rest } = outcome;
  const event = eventOf(deployment, good);
  await applyChange(trx, deployment, row, {
    ...rest,
    ...(event && { announced: event }),
    row: { state, reason, commit: row.commit, phase: null, cursor: null, due_ms: null, ended_at: iso(outcome.at) },
  });
  await saveOutcome(trx, deployment, row, outcome);
  if (outcome.succeeded) await scheduleJobRuns(context, trx, deployment, row, outcome.at);
  await serviceSettled(context, trx, row.service_id, deployment.environment_id);
  await pruneLines(trx, row);
};

/** The deployment is over; the next in its queue has its turn. */
const endDeployment = async (trx: Db, deployment: DeploymentRow, services: readonly DeploymentServiceRow[], at: number): Promise<void> => {
  const failed = services.some((service) => failedStates.includes(service.state));
  const canceled = services.some((service) => service.state === canceling.end);
  await trx
    .updateTable('deployment')
    .set({ status: failed ? 'ERROR' : canceled ? 'CANCELED' : 'SUCCESS', ended_at: iso(at), due_ms: null, owner: null })
    .where('id', '=', deployment.id)
    .execute();
  await trx
    .updateTable('deployment')
    .set({ due_ms: at })
    .where((eb) => eb('seq', '=', eb.selectFrom('deployment').select(({ fn }) => fn.min('seq').as('seq'))
      .where('queue', '=', deployment.queue).where('due_ms', 'is not', null)))
    .execute();
};

/**
 * Ends a service's part in a deployment, and with the last of a stage goes on: to the next stage, or, where one failed,
 * to the end of the deployment without the stages that have not begun.
 */
export async function finishService(
  context: EngineContext, trx: Db, deployment: DeploymentRow, row: DeploymentServiceRow, outcome: ServiceOutcome,
): Promise<void> {
  await endService(context, trx, deployment, row, outcome);
  const services = await servicesOf(trx, deployment.id);
  const open = services.filter((service) => service.ended_at === null);
  if (open.some((service) => service.stage === row.stage)) return;
  const bad = services.filter((service) => service.ended_at !== null && service.reason !== null);
  if (open.length > 0 && bad.length === 0) {
    const next = Math.min(...open.map((service) => service.stage));
    for (const service of open.filter((each) => each.stage === next)) await applyChange(trx, deployment, service, { at: outcome.at, row: { due_ms: outcome.at } });
    return;
  }
  // While canceling, the stages that have not begun end by themselves.
  if (open.some((service) => service.state === canceling.state)) return;
  const names = bad.map((service) => service.name).join(', ');
  for (const service of open) {
    await endService(context, trx, deployment, service, canceledOutcome(outcome.at, `Not begun, because ${names} failed in an earlier stage.`));
  }
  await endDeployment(trx, deployment, await servicesOf(trx, deployment.id), outcome.at);
}
