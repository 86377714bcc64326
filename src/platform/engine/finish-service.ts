import type { Updateable } from 'kysely';
import {
  condition,
  type Condition,
  type DeploymentState,
  type EventKind,
  storedCondition,
} from '../../contract/index.ts';
import { conditionLine } from '../runtime/index.ts';
import { compiled, compiledChange, type DatabaseSchema, type Db } from '../store/index.ts';
import { serviceSettled } from './alert-rules.ts';
import { type EngineContext, iso } from './context.ts';
import { removeDeleted } from './deletion.ts';
import { deployablesOf, isAsDeployed } from './deployable.ts';
import { scheduleJobRuns, scheduleLeft } from './job-runs.ts';
import { isAnnounced, canceling, failedStates } from './lifecycle.ts';
import { pruneLines } from './stored-lines.ts';
import { type DeploymentRow, type DeploymentServiceRow, isAside, servicesOf } from './deployment-rows.ts';
import { auditOutcome } from './outcome-events.ts';
import { applyChange, type DeploymentServiceChange } from './service-changes.ts';

/** The outcome of one service of a deployment. */
export interface ServiceOutcome extends Omit<DeploymentServiceChange, 'row' | 'announced'> {
  readonly state: DeploymentState;
  readonly succeeded: boolean;
  /** Why it failed or was canceled. */
  readonly why: Condition | null;
  /** The parts of a deleted service that could not be removed. */
  readonly left?: readonly string[];
}

/** The outcome of a canceled service, with the reason in its log. */
export const canceledOutcome = (at: number, why: Condition): ServiceOutcome => ({
  at,
  state: canceling.end,
  succeeded: false,
  why,
  lines: [conditionLine(why, { at, pod: 'platform', version: '' })],
});

interface Deployed {
  readonly deployment: string;
  readonly service: string;
}

const setDeployedAt = compiledChange((trx, { deployment, service, at }: Deployed & { readonly at: string }) =>
  trx
    .updateTable('service')
    .set({ last_deployment_at: at })
    .where('id', '=', service)
    .where('last_deployment_id', '=', deployment),
);

const digestOf = compiled((db, { deployment, service }: Deployed) =>
  db
    .selectFrom('deployment_service')
    .select(['outdated', 'digest'])
    .where('deployment_id', '=', deployment)
    .where('service_id', '=', service),
);

const setDeployed = compiledChange(
  (trx, { id, ...deployed }: Updateable<DatabaseSchema['service']> & { readonly id: string }) =>
    trx.updateTable('service').set(deployed).where('id', '=', id),
);

/**
 * Updates the service. A failed deployment leaves the previous version running, so only a success changes what runs.
 */
const saveOutcome = async (
  context: EngineContext,
  trx: Db,
  deployment: DeploymentRow,
  row: DeploymentServiceRow,
  outcome: ServiceOutcome,
): Promise<void> => {
  await setDeployedAt(trx, { service: row.service_id, deployment: deployment.id, at: iso(outcome.at) });
  if (!outcome.succeeded || deployment.action !== 'DEPLOY' || isAside(deployment)) return;
  const [found] = await digestOf(trx, { deployment: deployment.id, service: row.service_id });
  const { outdated, digest } = found!;
  const deployed = outdated ? null : digest;
  const now = (await deployablesOf(context, trx, [row.service_id])).get(row.service_id);
  const isOutOfDate = deployed === null ? outdated : !isAsDeployed(deployed, now);
  await setDeployed(trx, {
    id: row.service_id,
    deployed_spec: row.spec,
    deployed_commit: row.commit,
    deployed_record: row.record,
    deployed_digest: deployed,
    deployed_digest_of: deployment.id,
    deployment_status: isOutOfDate ? 'OUT_OF_DATE' : 'UP_TO_DATE',
  });
};

const eventOf = (deployment: DeploymentRow, succeeded: boolean): EventKind | undefined =>
  isAnnounced(deployment.action) && !isAside(deployment)
    ? succeeded
      ? 'DEPLOYMENT_SUCCEEDED'
      : 'DEPLOYMENT_FAILED'
    : undefined;

const endService = async (
  context: EngineContext,
  trx: Db,
  deployment: DeploymentRow,
  row: DeploymentServiceRow,
  outcome: ServiceOutcome,
): Promise<void> => {
  const { state, succeeded, why, left: notRemoved, ...rest } = outcome;
  if (notRemoved)
    context.log.warn(
      { service_id: row.service_id, service: row.name, left: notRemoved },
      'not all of a deleted service could be removed',
    );
  const left = succeeded ? undefined : await scheduleLeft(context, trx, deployment, row, outcome.at);
  const event = eventOf(deployment, succeeded);
  await applyChange(trx, deployment, row, {
    ...rest,
    ...(left && { lines: [...(outcome.lines ?? []), left] }),
    ...(event && { announced: event }),
    row: {
      state,
      reason: why && storedCondition(why),
      commit: row.commit,
      record: row.record,
      phase: null,
      cursor: null,
      due_ms: null,
      ended_at: iso(outcome.at),
    },
  });
  await saveOutcome(context, trx, deployment, row, outcome);
  if (!context.isReplay) await auditOutcome(trx, deployment, row, outcome);
  if (succeeded) await scheduleJobRuns(context, trx, deployment, row, outcome.at);
  await serviceSettled(context, trx, row.service_id, deployment.environment_id);
  await pruneLines(trx, row);
};

/** Finishes the deployment and makes the next one in its queue due. */
const endDeployment = async (
  context: EngineContext,
  trx: Db,
  deployment: DeploymentRow,
  services: readonly DeploymentServiceRow[],
  at: number,
): Promise<void> => {
  const failed = services.some((service) => failedStates.includes(service.state));
  const canceled = services.some((service) => service.state === canceling.end);
  await trx
    .updateTable('deployment')
    .set({ status: failed ? 'ERROR' : canceled ? 'CANCELED' : 'SUCCESS', ended_at: iso(at), due_ms: null, owner: null })
    .where('id', '=', deployment.id)
    .execute();
  await removeDeleted(context, trx, deployment, services, at);
  await trx
    .updateTable('deployment')
    .set({ due_ms: at })
    .where((eb) =>
      eb(
        'seq',
        '=',
        eb
          .selectFrom('deployment')
          .select(({ fn }) => fn.min('seq').as('seq'))
          .where('queue', '=', deployment.queue)
          .where('due_ms', 'is not', null),
      ),
    )
    .execute();
};

/**
 * Finishes one service of a deployment. After the last service of a stage, starts the next stage or, if a service
 * failed, finishes the deployment and cancels the stages that have not started.
 */
export async function finishService(
  context: EngineContext,
  trx: Db,
  deployment: DeploymentRow,
  row: DeploymentServiceRow,
  outcome: ServiceOutcome,
): Promise<void> {
  await endService(context, trx, deployment, row, outcome);
  const services = await servicesOf(trx, deployment.id);
  const open = services.filter((service) => service.ended_at === null);
  if (open.some((service) => service.stage === row.stage)) return;
  const unsuccessful = services.filter((service) => service.ended_at !== null && service.reason !== null);
  if (open.length > 0 && unsuccessful.length === 0) {
    const next = Math.min(...open.map((service) => service.stage));
    for (const service of open.filter((each) => each.stage === next))
      await applyChange(trx, deployment, service, { at: outcome.at, row: { due_ms: outcome.at } });
    return;
  }
  // During a cancel, the stages that have not started finish by themselves.
  if (open.some((service) => service.state === canceling.state)) return;
  const names = unsuccessful.map((service) => service.name);
  for (const service of open) {
    await endService(
      context,
      trx,
      deployment,
      service,
      canceledOutcome(outcome.at, condition('NOT_BEGUN', { services: names })),
    );
  }
  await endDeployment(context, trx, deployment, await servicesOf(trx, deployment.id), outcome.at);
}
