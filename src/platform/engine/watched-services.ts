import { sql } from 'kysely';
import type { Db } from '../store/index.ts';
import { failedStates } from './lifecycle.ts';
import { keptRunning, servicesWithObservation, runningStates, shownStateOf } from './running-facts.ts';

/**
 * Queries that find the failing services of a cluster. They start from the failures, which are few; cross joins keep
 * that order on every database.
 */
const onCluster = (clusterId: string) => ({
  failed: (db: Db) =>
    db
      .selectFrom('service')
      .crossJoin('environment')
      .select('service.id')
      .whereRef('environment.id', '=', 'service.environment_id')
      .where('service.deployed_state', 'in', failedStates)
      .where('environment.cluster_id', '=', clusterId),
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
      .where('environment.cluster_id', '=', clusterId),
  lost: (db: Db) =>
    db
      .selectFrom('unreachable_cluster')
      .crossJoin('environment')
      .crossJoin('service')
      .select('service.id')
      .whereRef('environment.cluster_id', '=', 'unreachable_cluster.cluster_id')
      .whereRef('service.environment_id', '=', 'environment.id')
      .where('unreachable_cluster.cluster_id', '=', clusterId)
      .where('service.deployed_state', 'in', runningStates)
      .where('service.kind', 'in', keptRunning),
});

/**
 * Whether a target of alert rules has a service that is in a failed state, or that should run and doesn't.
 * @param targetId a service or a cluster
 */
export async function watchedFails(db: Db, targetId: string): Promise<boolean> {
  const service = await servicesWithObservation(db).where('service.id', '=', targetId).executeTakeFirst();
  if (service) {
    const state = shownStateOf(service);
    return failedStates.includes(state) || state === 'UNAVAILABLE';
  }
  for (const find of Object.values(onCluster(targetId))) if (await find(db).limit(1).executeTakeFirst()) return true;
  return false;
}
