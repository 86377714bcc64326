import type { Insertable, Selectable } from 'kysely';
import type { DeploymentAction, DeploymentState, JsonRecord } from '../../contract/index.ts';
import type { Restoration } from '../runtime/index.ts';
import type { AuditEventTable, Db, ServiceTable } from '../store/index.ts';
import { iso } from './context.ts';
import type { Requester } from './engine.ts';
import { type DeploymentRow, type DeploymentServiceRow, isAside, serviceType } from './deployment-rows.ts';

/**
 * The types of the audit events for the outcomes of an action. A cancel counts as failed; the state shows the
 * difference.
 */
const types: Readonly<Record<DeploymentAction, { readonly succeeded: string; readonly failed: string }>> = {
  DEPLOY: { succeeded: 'DEPLOYED', failed: 'DEPLOY_FAILED' },
  RESTART: { succeeded: 'RESTARTED', failed: 'RESTART_FAILED' },
  STOP: { succeeded: 'STOPPED', failed: 'STOP_FAILED' },
  DELETE: { succeeded: 'DELETED', failed: 'DELETE_FAILED' },
};

/** What an event of a restoration says of it: the name of the backup. @param stored that of the deployment's service */
export const restoredFrom = (stored: string | null): { readonly restored_from?: string } =>
  stored === null ? {} : { restored_from: (JSON.parse(stored) as Restoration).backup };

/** The outcome of one service of a deployment. */
interface Ended {
  readonly state: DeploymentState;
  readonly succeeded: boolean;
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** The parts of a deleted service that could not be removed. */
  readonly left?: readonly string[];
}

/**
 * Records the audit event for the outcome of a service's part of a deployment, in the transaction that finishes it.
 * Runs of jobs by the clock or on request have none, because they would displace the changes that users made.
 */
export async function auditOutcome(
  trx: Db,
  deployment: DeploymentRow,
  { service_id, kind, name, restoration }: DeploymentServiceRow,
  { state, succeeded, at, left }: Ended,
): Promise<void> {
  if (isAside(deployment)) return;
  await record(trx, deployment.environment_id, {
    created_at: iso(at),
    event_type: types[deployment.action][succeeded ? 'succeeded' : 'failed'],
    target_type: serviceType(kind),
    target_id: service_id,
    target_name: name,
    change: JSON.stringify({
      ...restoredFrom(restoration),
      state,
      deployment_id: deployment.id,
      ...(left && { left: left.join(' ') }),
    }),
    origin: deployment.origin,
    triggered_by: deployment.triggered_by,
  });
}

/**
 * Records that a service that should run became available or unavailable.
 * @param message the text of its log lines about that
 */
export async function auditAvailability(
  trx: Db,
  { id, kind, name, environment_id: environmentId }: Selectable<ServiceTable>,
  { isAvailable, at, message }: { readonly isAvailable: boolean; readonly at: number; readonly message: string },
): Promise<void> {
  await record(trx, environmentId, {
    created_at: iso(at),
    event_type: isAvailable ? 'AVAILABLE' : 'UNAVAILABLE',
    target_type: serviceType(kind),
    target_id: id,
    target_name: name,
    change: JSON.stringify({ message }),
    origin: 'SERVICE_INTERNAL',
    triggered_by: 'platform',
  });
}

/** An event about an environment as a whole. `at` is in milliseconds since the epoch. */
interface EnvironmentEvent extends Requester {
  readonly event_type: string;
  readonly at: number;
  readonly change: JsonRecord;
}

/** Records what the platform did, or tried to do, to an environment by itself. */
export const auditEnvironment = (
  trx: Db,
  { id, name }: { readonly id: string; readonly name: string },
  { event_type, origin, triggeredBy, at, change }: EnvironmentEvent,
  place?: Place,
): Promise<void> =>
  record(
    trx,
    id,
    {
      created_at: iso(at),
      event_type,
      target_type: 'ENVIRONMENT',
      target_id: id,
      target_name: name,
      change: JSON.stringify(change),
      origin,
      triggered_by: triggeredBy,
    },
    place,
  );

/** Records that a deployment that was to delete an environment has ended. Call it before the environment is removed. */
export async function auditEnvironmentDeletion(
  trx: Db,
  { id: deployment_id, environment_id: id, origin, triggered_by: triggeredBy }: DeploymentRow,
  isGone: boolean,
  at: number,
): Promise<void> {
  const place = await placeOfEnvironment(trx, id);
  if (!place) return;
  const { succeeded, failed } = types.DELETE;
  await auditEnvironment(
    trx,
    { id, name: place.environment_name },
    { event_type: isGone ? succeeded : failed, origin, triggeredBy, at, change: { deployment_id } },
    place,
  );
}

/** The names and ids of an environment's surroundings; undefined if it is gone. */
export const placeOfEnvironment = (trx: Db, environmentId: string) =>
  trx
    .selectFrom('environment')
    .innerJoin('project', 'project.id', 'environment.project_id')
    .select([
      'environment.name as environment_name',
      'project.id as project_id',
      'project.name as project_name',
      'project.organization_id',
    ])
    .where('environment.id', '=', environmentId)
    .executeTakeFirst();

type Place = Awaited<ReturnType<typeof placeOfEnvironment>>;

type Recorded = Pick<
  Insertable<AuditEventTable>,
  'created_at' | 'event_type' | 'target_type' | 'target_id' | 'target_name' | 'change' | 'origin' | 'triggered_by'
>;

/** Adds an event about an environment or a service in it. */
async function record(trx: Db, environmentId: string, event: Recorded, known?: Place): Promise<void> {
  const place = known ?? (await placeOfEnvironment(trx, environmentId));
  if (!place) return;
  await trx
    .insertInto('audit_event')
    .values({
      ...place,
      ...event,
      sub_target_type: null,
      original_change: null,
      user_agent: null,
      environment_id: environmentId,
    })
    .execute();
}
