import type { Selectable } from 'kysely';
import { isoNow } from '../../common/index.ts';
import { requireEnvironmentStays, requireUnlocked } from '../../engine/index.ts';
import type { RequestContext } from '../handler.ts';
import type { ClusterTable } from '../../store/index.ts';
import { findById } from './find.ts';
import { clusterOf } from './service-answers.ts';

/**
 * Finds the cluster of an environment that is about to change.
 * @throws ApiProblem 404 for an unknown environment, 400 while its cluster is locked or it is being deleted
 */
export async function findUnlockedCluster(
  environmentId: string,
  { db, clock }: RequestContext,
): Promise<Selectable<ClusterTable>> {
  await findById(db, 'environment', environmentId);
  const cluster = await clusterOf(db, environmentId);
  await requireUnlocked(db, cluster.id, clock.now());
  await requireEnvironmentStays(db, environmentId);
  return cluster;
}

/**
 * Refuses a change of a project that reaches its environments.
 * @throws ApiProblem 400 while a cluster that hosts one of them is locked
 */
export async function requireUnlockedProject(projectId: string, { db, clock }: RequestContext): Promise<void> {
  const clusters = await db
    .selectFrom('environment')
    .select('cluster_id')
    .distinct()
    .where('project_id', '=', projectId)
    .execute();
  for (const { cluster_id } of clusters) await requireUnlocked(db, cluster_id, clock.now());
}

/** Records the time and author of a change in an environment. */
export async function touchEnvironment(environmentId: string, { db, clock, principal }: RequestContext): Promise<void> {
  await db
    .updateTable('environment')
    .set({ updated_at: isoNow(clock), updated_by: principal.name })
    .where('id', '=', environmentId)
    .execute();
}
