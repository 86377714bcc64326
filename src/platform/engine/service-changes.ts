import type { Insertable, Selectable, Updateable } from 'kysely';
import type { DeploymentState, EventKind, StepName } from '../../contract/index.ts';
import { announce } from './webhooks/outbox.ts';
import type { Restoration, RuntimeLogLine } from '../runtime/index.ts';
import { compiledChange, type DatabaseSchema, type Db, type ServiceTable } from '../store/index.ts';
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

type ChangedRow = Pick<DeploymentServiceRow, 'deployment_id' | 'service_id' | 'revision'> & {
  readonly owner: string | null;
  readonly fencing_token: number;
  readonly next_revision: number;
};

const changeRow = compiledChange(
  (
    trx,
    {
      deployment_id,
      service_id,
      revision,
      owner,
      fencing_token,
      next_revision,
      ...changed
    }: ChangedRow & DeploymentServiceChange['row'],
  ) =>
    trx
      .updateTable('deployment_service')
      .set({ ...changed, revision: next_revision })
      .where('deployment_id', '=', deployment_id)
      .where('service_id', '=', service_id)
      .where('revision', '=', revision)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('deployment')
            .select('id')
            .where(heldAsRead({ id: deployment_id, owner, fencing_token })),
        ),
      ),
);

const writeRow = async (
  trx: Db,
  { id, owner, fencing_token }: DeploymentRow,
  { deployment_id, service_id, revision }: DeploymentServiceRow,
  { row }: DeploymentServiceChange,
): Promise<void> => {
  const { numAffectedRows } = await changeRow(trx, {
    ...row,
    deployment_id,
    service_id,
    revision,
    owner,
    fencing_token,
    next_revision: revision + 1,
  });
  if (numAffectedRows !== 1n) throw new Superseded(id);
};

/** Updates the service's displayed state, unless a later deployment has been requested. */
const showState = compiledChange(
  (
    trx,
    { id, deployment, state }: { readonly id: string; readonly deployment: string; readonly state: DeploymentState },
  ) =>
    trx
      .updateTable('service')
      .set({ deployed_state: state })
      .where('id', '=', id)
      .where('last_deployment_id', '=', deployment),
);

const setEnvironmentState = compiledChange(
  (trx, { id, state }: { readonly id: string; readonly state: DeploymentState }) =>
    trx.updateTable('environment').set({ state }).where('id', '=', id).where('state', '<>', state),
);

/** Sets an environment's state to the aggregate of its services' displayed states. */
export async function updateEnvironmentState(trx: Db, environmentId: string): Promise<void> {
  await setEnvironmentState(trx, { id: environmentId, state: aggregate(await shownStates(trx, environmentId)) });
}

const insertEvent = compiledChange((trx, event: Insertable<DatabaseSchema['deployment_event']>) =>
  trx.insertInto('deployment_event').values(event).returning('seq'),
);

const insertStep = compiledChange((trx, step: Insertable<DatabaseSchema['deployment_step']>) =>
  trx.insertInto('deployment_step').values(step),
);

/** Records that a service reached a state, and notifies the webhooks that subscribe to the event. */
async function recordEvent(
  trx: Db,
  deployment: DeploymentRow,
  service: DeploymentServiceRow,
  at: number,
  announced?: EventKind,
): Promise<void> {
  const {
    rows: [inserted],
  } = await insertEvent(trx, {
    deployment_id: deployment.id,
    service_id: service.service_id,
    revision: service.revision,
    state: service.state,
    announced: announced ?? null,
    created_at: iso(at),
  });
  if (announced !== undefined)
    await announce(trx, { eventSeq: inserted!.seq, event: announced, deployment, service, at });
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
    await insertStep(trx, {
      deployment_id: deployment.id,
      service_id: service.service_id,
      position,
      step,
      status,
      began_ms: beganAt,
      ended_ms: change.at,
    });
  }
  if (change.lines?.length) {
    await appendLines(trx, updated, change.lineStep ?? null, change.lines);
    // A run of a job can take days.
    await pruneDeployment(trx, updated);
  }
  if (updated.state !== service.state) {
    await showState(trx, { id: updated.service_id, deployment: deployment.id, state: updated.state });
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
