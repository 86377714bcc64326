import type { Db } from '../store/index.ts';
import type { RepeatedWork } from './background-loop.ts';
import type { EngineContext } from './context.ts';
import { deployablesOf } from './deployable.ts';
import { LeaderLockLost, type LeaderLocks } from './leader-locks.ts';

const intervalMilliseconds = 10_000;

/** Maximum number of services whose digests one transaction computes. */
const batch = 50;

const says = {
  failure: 'the digests of what is deployed could not be computed',
  recovery: 'the digests of what is deployed are computed again',
};

/** Services that are up to date, without a digest of what is deployed. */
const withoutDigest = (db: Pick<Db, 'selectFrom'>) =>
  db
    .selectFrom('service')
    .select(['id', 'environment_id'])
    .where('deployed_digest', 'is', null)
    .where('deployment_status', '=', 'UP_TO_DATE');

/**
 * Computes the digests that aren't known of what is deployed, because an earlier version of the program deployed it.
 * While a service is up to date, what is deployed is what a deployment would deploy now. For a service that is out of
 * date they stay unknown until its next deployment.
 */
export function digestingOf(context: EngineContext, leaderLocks: LeaderLocks): RepeatedWork {
  const compute = async (trx: Db, found: readonly { readonly id: string; readonly environment_id: string }[]) => {
    // As in `markOutOfDate`: nothing that the digests are of changes meanwhile.
    await trx.lock(...new Set(found.map(({ environment_id: id }) => id)));
    const ids = found.map(({ id }) => id);
    const left = await withoutDigest(trx).where('id', 'in', ids).execute();
    const now = await deployablesOf(
      context,
      trx,
      left.map(({ id }) => id),
    );
    for (const [id, deployable] of now)
      await trx
        .updateTable('service')
        .set({ deployed_digest: JSON.stringify(deployable) })
        .where('id', '=', id)
        .execute();
  };
  return {
    interval: intervalMilliseconds,
    says,
    run: async () => {
      const found = await withoutDigest(context.db.reader).limit(batch).execute();
      if (found.length === 0) return;
      const leaderLock = await leaderLocks.take('computing digests');
      try {
        await leaderLock?.write((trx) => compute(trx, found));
      } catch (error) {
        if (!(error instanceof LeaderLockLost)) throw error;
      }
    },
  };
}
