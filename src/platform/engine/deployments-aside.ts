import type { Selectable } from 'kysely';
import type { Db, ServiceTable } from '../store/index.ts';
import { requireUnlocked } from './cluster-locks.ts';
import { type EngineContext, iso } from './context.ts';
import { requireNotBeingDeleted } from './deletion.ts';
import type { DeploymentRow } from './deployment-rows.ts';
import type { Requester } from './engine.ts';

type Service = Pick<Selectable<ServiceTable>, 'id' | 'environment_id'>;

/**
 * Locks the environment of a service until the transaction ends, and requires that it can run something aside.
 * @returns the time of the request, in milliseconds since the epoch
 * @throws ApiProblem 400 while its cluster is locked or it is being deleted
 */
export async function requireAvailable(context: EngineContext, trx: Db, service: Service): Promise<number> {
  await trx.lock(service.environment_id);
  const at = context.clock.now();
  const { cluster_id: clusterId } = await trx
    .selectFrom('environment')
    .select('cluster_id')
    .where('id', '=', service.environment_id)
    .executeTakeFirstOrThrow();
  await requireUnlocked(trx, clusterId, at);
  await requireNotBeingDeleted(trx, { environmentId: service.environment_id, serviceIds: [service.id] });
  return at;
}

/**
 * Adds a deployment that has a queue beside that of its environment: a run of a job, or a plan.
 * @param at time of the request, in milliseconds since the epoch
 */
export const insertAside = (
  context: Pick<EngineContext, 'random'>,
  trx: Db,
  { environment_id }: Service,
  queue: string,
  { origin, triggeredBy }: Requester,
  at: number,
): Promise<DeploymentRow> =>
  trx
    .insertInto('deployment')
    .values({
      id: context.random.uuid(),
      environment_id,
      queue,
      action: 'DEPLOY',
      status: 'QUEUED',
      origin,
      triggered_by: triggeredBy,
      created_at: iso(at),
      due_ms: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
