import { notFound, refused } from '../common/index.ts';
import type { Db } from '../store/index.ts';
import { type EngineContext, iso } from './context.ts';
import { clusterUpgradeStates, nextVersion } from './lifecycle.ts';
import { requireUnlocked } from './cluster-locks.ts';
import { requireNoClusterWindow } from './deployment-windows.ts';
import { type TimerHandler, setTimer } from './timer-queue.ts';

const { queued, running } = clusterUpgradeStates;

/** See Engine.upgradeCluster. */
export async function requestUpgrade(
  context: EngineContext,
  trx: Db,
  clusterId: string,
): Promise<{ id: string; createdAt: string }> {
  await trx.lock(clusterId);
  const at = context.clock.now();
  const cluster = await trx.selectFrom('cluster').selectAll().where('id', '=', clusterId).executeTakeFirst();
  if (cluster === undefined) throw notFound('cluster', clusterId);
  await requireUnlocked(trx, clusterId, at);
  await requireNoClusterWindow(trx, cluster, at);
  if (!clusterUpgradeStates.from.some((state) => state === cluster.status)) {
    throw refused(
      `The cluster ${cluster.name} (${clusterId}) can't be upgraded while it is ${cluster.status}; wait until it is ${clusterUpgradeStates.end}.`,
    );
  }
  if (cluster.next_version === null) {
    throw refused(
      `The cluster ${cluster.name} (${clusterId}) runs ${cluster.version}, and no newer version is available.`,
    );
  }
  const runtime = context.runtimes.named(cluster.runtime);
  if (runtime.upgradeRefusal !== undefined) throw refused(runtime.upgradeRefusal);
  const id = context.random.uuid();
  await trx
    .updateTable('cluster')
    .set({ status: queued, last_execution_id: id, updated_at: iso(at) })
    .where('id', '=', clusterId)
    .execute();
  await setTimer(trx, 'CLUSTER_UPGRADE', clusterId, at + runtime.pauseBefore('upgradeQueueing', id));
  return { id, createdAt: iso(at) };
}

/** Advances an upgrade: from queued to running, then to the new version, or to the failed state with the old one. */
export const advanceUpgrade =
  (context: EngineContext): TimerHandler =>
  async (trx, clusterId, now) => {
    const cluster = await trx.selectFrom('cluster').selectAll().where('id', '=', clusterId).executeTakeFirstOrThrow();
    const runtime = context.runtimes.named(cluster.runtime);
    if (cluster.status === queued) {
      await trx.updateTable('cluster').set({ status: running }).where('id', '=', clusterId).execute();
      return now + runtime.pauseBefore('upgrading', `${cluster.last_execution_id ?? clusterId}/running`);
    }
    if (cluster.status !== running || cluster.next_version === null) return null;
    if (await runtime.upgradeFails({ id: cluster.last_execution_id ?? '', cluster })) {
      await trx
        .updateTable('cluster')
        .set({ status: clusterUpgradeStates.onFailure, last_deployment_at: iso(now), updated_at: iso(now) })
        .where('id', '=', clusterId)
        .execute();
      return null;
    }
    await trx
      .updateTable('cluster')
      .set({
        status: clusterUpgradeStates.end,
        version: cluster.next_version,
        next_version: nextVersion(cluster.next_version),
        last_deployment_at: iso(now),
        updated_at: iso(now),
      })
      .where('id', '=', clusterId)
      .execute();
    return null;
  };
