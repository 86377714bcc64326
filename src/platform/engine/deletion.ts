import { sql } from 'kysely';
import { refused } from '../common/index.ts';
import type { Db } from '../store/index.ts';
import { databaseVariableIds } from './database-variables.ts';
import { type DeploymentRow, type DeploymentServiceRow, isAside } from './deployment-rows.ts';
import type { DeployableContext } from './deployable.ts';
import type { DeploymentOrder } from './engine.ts';
import { statePathOf } from './lifecycle.ts';
import { markReadersOutOfDate } from './out-of-date.ts';
import { auditEnvironmentDeletion } from './outcome-events.ts';

type Target = Pick<DeploymentOrder, 'environmentId' | 'serviceIds' | 'takesEnvironment'>;

/** The unfinished services of unfinished deployments, with their deployments. */
const underWay = (db: Db) =>
  db
    .selectFrom('deployment_service')
    .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
    .select([
      'deployment.id',
      'deployment.action',
      'deployment_service.service_id',
      'deployment_service.name',
      'deployment_service.kind',
      'deployment_service.state',
    ])
    .where('deployment_service.ended_at', 'is', null);

const deletionOf = (db: Db, serviceIds: readonly string[]) =>
  serviceIds.length === 0
    ? undefined
    : underWay(db)
        .where('deployment.action', '=', 'DELETE')
        .where('service_id', 'in', [...serviceIds])
        .executeTakeFirst();

/** Whether a service is about to be deleted. */
export const isBeingDeleted = async (db: Db, serviceId: string): Promise<boolean> =>
  (await deletionOf(db, [serviceId])) !== undefined;

/**
 * Refuses changes to an environment that is about to be deleted.
 * @throws ApiProblem 400 with the deployment that deletes it
 */
export async function requireEnvironmentStays(db: Db, environmentId: string): Promise<void> {
  await db.lock(environmentId);
  const deletion = await db
    .selectFrom('deployment')
    .select('id')
    .where('queue', '=', environmentId)
    .where('takes_environment', '=', 1)
    .where('due_ms', 'is not', null)
    .executeTakeFirst();
  if (deletion)
    throw refused(
      `The environment ${environmentId} is being deleted (deployment ${deletion.id}); nothing in it can be changed. Cancel that deployment to keep what is left.`,
    );
}

/**
 * Refuses requests that would follow a deletion, when nothing would be left to act on.
 * @throws ApiProblem 400 with the service and the deployment that deletes it
 */
export async function requireNotBeingDeleted(db: Db, { environmentId, serviceIds }: Target): Promise<void> {
  await requireEnvironmentStays(db, environmentId);
  const deletion = await deletionOf(db, serviceIds);
  if (deletion)
    throw refused(
      `${deletion.name} (${deletion.kind} ${deletion.service_id}) is being deleted (deployment ${deletion.id}). Wait until it has ended, or cancel that deployment.`,
    );
}

/**
 * Refuses to delete anything that a deployment is changing, or is about to, including scheduled runs of jobs.
 * @throws ApiProblem 400 with the service and the deployment
 */
export async function requireDeletable(db: Db, target: Target): Promise<void> {
  await requireNotBeingDeleted(db, target);
  const { environmentId, serviceIds, takesEnvironment } = target;
  const all = underWay(db).where('deployment.environment_id', '=', environmentId);
  const busy = takesEnvironment
    ? await all.executeTakeFirst()
    : await all.where('service_id', 'in', [...serviceIds]).executeTakeFirst();
  if (busy) {
    throw refused(
      `${takesEnvironment ? `The environment ${environmentId}` : `${busy.name} (${busy.kind} ${busy.service_id})`} can't be deleted: a deployment of ${busy.name} is under way` +
        ` (${busy.state}, deployment ${busy.id}). Wait until it has ended, or cancel it.`,
    );
  }
}

const deleted = statePathOf('application', 'DELETE').end;

/**
 * Removes variables with their aliases and overrides, and compares the services that read one of them with what was
 * deployed.
 */
async function removeVariables(
  context: DeployableContext,
  trx: Db,
  owner: 'service_id' | 'environment_id' | 'id',
  ids: readonly string[],
): Promise<void> {
  const { rows } = await sql<{ service_id: string | null; environment_id: string | null; scope: string }>`
    WITH RECURSIVE gone (id) AS (
      SELECT id FROM variable WHERE ${sql.ref(owner)} IN (${sql.join(ids)})
      UNION SELECT variable.id FROM variable JOIN gone ON variable.linked_variable_id = gone.id)
    DELETE FROM variable WHERE id IN (SELECT id FROM gone) RETURNING service_id, environment_id, scope`.execute(trx);
  // Deleting a database removes its built-in variables without marking services as out of date: a service that needs
  // the database notices when it fails.
  const environments = rows.flatMap(({ environment_id, scope }) =>
    scope === 'BUILT_IN' ? [] : (environment_id ?? []),
  );
  const inThem =
    environments.length === 0
      ? []
      : await trx.selectFrom('service').select('id').where('environment_id', 'in', environments).execute();
  await markReadersOutOfDate(
    context,
    trx,
    [...new Set([...rows.flatMap(({ service_id }) => service_id ?? []), ...inThem.map(({ id }) => id)])].filter(
      (id) => !ids.includes(id),
    ),
  );
}

/** Removes the alert rules and timers of deleted objects, and their rows in the totals of lists. */
async function removeWatchers(trx: Db, ids: readonly string[]): Promise<void> {
  const rules = await trx
    .deleteFrom('alert_rule')
    .where('target_id', 'in', [...ids])
    .returning('id')
    .execute();
  await trx
    .deleteFrom('timer')
    .where('subject_id', 'in', [...ids, ...rules.map(({ id }) => id)])
    .execute();
  await trx
    .deleteFrom('list_total')
    .where('owner_id', 'in', [...ids])
    .execute();
}

/**
 * Removes services with everything that belongs to them. Their deployments stay as history, without configuration and
 * log.
 */
async function removeServices(context: DeployableContext, trx: Db, ids: readonly string[]): Promise<void> {
  await removeVariables(context, trx, 'service_id', ids);
  await removeVariables(context, trx, 'id', ids.flatMap(databaseVariableIds));
  await trx
    .deleteFrom('log_line')
    .where('service_id', 'in', [...ids])
    .execute();
  await trx
    .updateTable('deployment_service')
    .set({ spec: null })
    .where('service_id', 'in', [...ids])
    .execute();
  await trx
    .deleteFrom('service')
    .where('id', 'in', [...ids])
    .execute();
  await removeWatchers(trx, ids);
}

async function removeEnvironment(context: DeployableContext, trx: Db, id: string): Promise<void> {
  await removeVariables(context, trx, 'environment_id', [id]);
  await trx.deleteFrom('environment').where('id', '=', id).execute();
  await removeWatchers(trx, [id]);
}

/**
 * Removes what a finished deployment has deleted, all in the caller's transaction: the services that were taken down,
 * and the environment if it was to be deleted and none of its services is left. Does nothing for other deployments.
 * @param at when it finished, in milliseconds since the epoch
 */
export async function removeDeleted(
  context: DeployableContext,
  trx: Db,
  deployment: DeploymentRow,
  services: readonly DeploymentServiceRow[],
  at: number,
): Promise<void> {
  if (deployment.action !== 'DELETE' || isAside(deployment)) return;
  const gone = services.filter(({ state }) => state === deleted).map(({ service_id }) => service_id);
  if (gone.length > 0) await removeServices(context, trx, gone);
  if (deployment.takes_environment !== 1) return;
  const isGone = gone.length === services.length;
  // The end of an empty environment is the request itself.
  if (services.length > 0) await auditEnvironmentDeletion(trx, deployment, isGone, at);
  if (isGone) await removeEnvironment(context, trx, deployment.environment_id);
}
