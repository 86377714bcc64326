import type { Selectable } from 'kysely';
import { isoAt, unknownTime } from '../../contract/index.ts';
import { addDays, refused } from '../common/index.ts';
import type { ClusterLockTable, Db } from '../store/index.ts';

/**
 * The active lock of a cluster; undefined if there is none, or it has expired or not started.
 * @param now in milliseconds since the epoch
 */
export async function activeLock(
  db: Db,
  clusterId: string,
  now: number,
): Promise<Selectable<ClusterLockTable> | undefined> {
  const lock = await db.selectFrom('cluster_lock').selectAll().where('cluster_id', '=', clusterId).executeTakeFirst();
  const from = Date.parse(lock?.locked_at ?? '');
  return lock && from <= now && addDays(from, lock.ttl_in_days) > now ? lock : undefined;
}

/**
 * Refuses changes to anything that a locked cluster hosts.
 * @throws ApiProblem 400 with the owner, the reason and the end of the lock
 */
export async function requireUnlocked(db: Db, clusterId: string, now: number): Promise<void> {
  const lock = await activeLock(db, clusterId, now);
  if (lock === undefined) return;
  const until = isoAt(addDays(Date.parse(lock.locked_at), lock.ttl_in_days)) ?? `an ${unknownTime}`;
  throw refused(
    `The cluster ${clusterId} is locked by ${lock.owner_name} until ${until}: "${lock.reason}". Nothing it hosts can be changed until it is unlocked.`,
  );
}
