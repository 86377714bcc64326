import type { Selectable, Updateable } from 'kysely';
import type { DeploymentState, EventKind, StepName } from '../../contract/index.ts';
import { announce } from './webhooks/outbox.ts';
import type { Restoration, RuntimeLogLine } from '../runtime/index.ts';
import type { DatabaseSchema, Db, ServiceTable } from '../store/index.ts';
import { appendLines, pruneDeployment } from './stored-lines.ts';
import { iso } from './context.ts';
import { shownStates } from './running-facts.ts';
import { aggregate, isAnnounced, statePathOf, stageOf } from './lifecycle.ts';
import { type DeploymentRow, type DeploymentServiceRow, heldAsRead, isAside, Superseded } from './deployment-rows.ts';
import { uuidFrom } from '../common/index.ts';

/** A change of one service of a deployment, with its step, log lines and event. */
export interface DeploymentServiceChange {
  /** When it happens, in milliseconds since the epoch. */
  readonly at: number;
  readonly row: Updateable<DatabaseSchema['deployment_service']>;
  /** The step that the change completes. */
  readonly step?: {
    readonly position: number;
    readonly step: StepName;
    readonly status: 'SUCCESS' | 'ERROR' | 'CANCELED';
    readonly beganAt: number;
  };
  readonly lines?: readonly RuntimeLogLine[];
  readonly lineStep?: StepName;
  /** The event that webhooks are notified of. */
  readonly announced?: EventKind;
}

const writeRow = async (
  trx: Db,
  deployment: DeploymentRow,
  service: DeploymentServiceRow,
  change: DeploymentServiceChange,
): Promise<void> => {
  const { numUpdatedRows } = await trx
    .updateTable('deployment_service')
    .set({ ...change.row, revision: service.revision + 1 })
    .where('deployment_id', '=', service.deployment_id)
    .where('service_id', '=', service.service_id)
    .where('revision', '=', service.revision)
    .where((eb) => eb.exists(eb.selectFrom('deployment').select('id').where(heldAsRead(deployment))))
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new Superseded(deployment.id);
};

/** Updates the service's displayed state, unless a later deployment has been requested. */
const updateServiceState = (trx: Db, deployment: DeploymentRow, serviceId: string, state: DeploymentState) =>
  trx
    .updateTable('service')
    .set({ deployed_state: state })
    .where('id', '=', serviceId)
    .where('last_deployment_id', '=', deployment.id)
    .execute();

/** Sets an environment's state to the aggregate of its services' displayed states. */
export async function updateEnvironmentState(trx: Db, environmentId: string): Promise<void> {
  const state = aggregate(await shownStates(trx, environmentId));
  await trx
    .updateTable('environment')
    .set({ state })
    .where('id', '=', environmentId)
    .where('state', '<>', state)
    .execute();
}

/** Records that a service reached a state, and notifies the webhooks that subscribe to the event. */
async function recordEvent(
  trx: Db,
  deployment: DeploymentRow,
  service: DeploymentServiceRow,
  at: number,
  announced?: EventKind,
): Promise<void> {
  const { seq } = await trx
    .insertInto('deployment_event')
    .values({
      deployment_id: deployment.id,
      service_id: service.service_id,
      revision: service.revision,
      state: service.state,
      announced: announced ?? null,
      created_at: iso(at),
    })
    .returning('seq')
    .executeTakeFirstOrThrow();
  if (announced !== undefined) await announce(trx, { eventSeq: seq, event: announced, deployment, service, at });
}

/**
 * Writes a change with its event, step and lines in the caller's transaction. Afterwards the caller calls
 * `updateEnvironmentState`, once for all changes.
 * @returns the updated row
 * @throws Superseded if the row's revision has changed, or the worker no longer holds the deployment
 */
export async function applyChange(
  trx: Db,
  deployment: DeploymentRow,
  service: DeploymentServiceRow,
  change: DeploymentServiceChange,
): Promise<DeploymentServiceRow> {
  await writeRow(trx, deployment, service, change);
  const updated: DeploymentServiceRow = { ...service, ...change.row, revision: service.revision + 1 };
  if (change.step) {
    const { position, step, status, beganAt } = change.step;
    await trx
      .insertInto('deployment_step')
      .values({
        deployment_id: deployment.id,
        service_id: service.service_id,
        position,
        step,
        status,
        began_ms: beganAt,
        ended_ms: change.at,
      })
      .execute();
  }
  if (change.lines?.length) {
    await appendLines(trx, updated, change.lineStep ?? null, change.lines);
    // A run of a job can take days.
    await pruneDeployment(trx, updated);
  }
  if (updated.state !== service.state) {
    await updateServiceState(trx, deployment, updated.service_id, updated.state);
    await recordEvent(trx, deployment, updated, change.at, change.announced);
  }
  return updated;
}

/** The version that a run of a job uses, decided when it is requested. */
type RunVersion = Pick<DeploymentServiceRow, 'spec' | 'commit' | 'record'>;

/** What a deployment takes over from the plan that it applies. */
export type PlanInputs = Pick<DeploymentServiceRow, 'spec' | 'commit' | 'record' | 'digest' | 'outdated'>;

/**
 * Adds a service to a deployment that was just accepted. The service is queued, with its event recorded.
 * @param at time of the request, in milliseconds since the epoch
 * @param requested the commit to deploy, the parts of a plan that it applies, the backup to restore a database from, or
 *   the version of a run
 */
export async function insertDeploymentService(
  trx: Db,
  deployment: DeploymentRow,
  service: Selectable<ServiceTable>,
  at: number,
  {
    commitId,
    planned,
    restoration,
    version,
  }: {
    readonly commitId?: string | undefined;
    readonly planned?: PlanInputs | undefined;
    readonly restoration?: Restoration | undefined;
    readonly version?: RunVersion;
  } = {},
): Promise<void> {
  const stage = stageOf(service.kind, deployment.action);
  const row = await trx
    .insertInto('deployment_service')
    .values({
      deployment_id: deployment.id,
      service_id: service.id,
      kind: service.kind,
      name: service.name,
      stage: stage.position,
      stage_id: uuidFrom(`${deployment.environment_id}/stage/${stage.name}`),
      state: statePathOf(service.kind, deployment.action).queued,
      revision: 0,
      requested_commit: commitId ?? null,
      restoration: restoration === undefined ? null : JSON.stringify(restoration),
      ...planned,
      ...version,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const announced = isAnnounced(deployment.action) && !isAside(deployment);
  await recordEvent(trx, deployment, row, at, announced ? 'DEPLOYMENT_STARTED' : undefined);
}
