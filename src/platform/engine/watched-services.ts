import { sql } from 'kysely';
import type { Db } from '../store/index.ts';
import { failedStates } from './lifecycle.ts';
import { keptRunning, servicesWithObservation, runningStates, shownStateOf } from './running-facts.ts';

/** A column of environments that contains the id of a place. */
type PlaceColumn = 'environment.id' | 'environment.cluster_id';

/**
 * Queries that find the failing services of a cluster or an environment. They start from the failures, which are few;
 * cross joins keep that order on every database.
 */
const failingIn = (column: PlaceColumn, placeId: string) => ({
  failed: (db: Db) =>
    db
      .selectFrom('service')
      .crossJoin('environment')
      .select('service.id')
      .whereRef('environment.id', '=', 'service.environment_id')
      .where('service.deployed_state', 'in', failedStates)
      .where(column, '=', placeId),
  down: (db: Db) =>
    db
      .selectFrom('running_service as seen')
      .crossJoin('service')
      .crossJoin('environment')
      .select('service.id')
      .whereRef('service.id', '=', 'seen.service_id')
      .whereRef('service.last_deployment_id', '=', 'seen.deployment_id')
      .whereRef('environment.id', '=', 'service.environment_id')
      .where('seen.running', '=', sql.lit(0))
      .where('seen.wanted', '>', 0)
      .where('service.deployed_state', 'in', runningStates)
      .where(column, '=', placeId),
  lost: (db: Db) =>
    db
      .selectFrom('unreachable_cluster')
      .crossJoin('environment')
      .crossJoin('service')
      .select('service.id')
      .whereRef('environment.cluster_id', '=', 'unreachable_cluster.cluster_id')
      .whereRef('service.environment_id', '=', 'environment.id')
      .where(column, '=', placeId)
      .where('service.deployed_state', 'in', runningStates)
      .where('service.kind', 'in', keptRunning),
});

/**
 * Whether a target of alert rules has a service that is in a failed state, or that should run and doesn't.
 * @param targetId a service, an environment or a cluster
 */
export async function watchedFails(db: Db, targetId: string): Promise<boolean> {
  const service = await servicesWithObservation(db).where('service.id', '=', targetId).executeTakeFirst();
  if (service) {
    const state = shownStateOf(service);
    return failedStates.includes(state) || state === 'UNAVAILABLE';
  }
  for (const column of ['environment.cluster_id', 'environment.id'] as const)
    for (const find of Object.values(failingIn(column, targetId)))
      if (await find(db).limit(1).executeTakeFirst()) return true;
  return false;
}
