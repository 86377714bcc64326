import type { DataStore, Db } from '../store/index.ts';
import type { Lease } from './lease.ts';

/** Thrown if another worker has taken a leader lock. Nothing is written. */
export class LeaderLockLost extends Error {
  constructor(name: string) {
    super(`Another process has taken over: ${name}.`);
    this.name = 'LeaderLockLost';
  }
}

/** The right to do a kind of work that only one worker does at a time, such as observing a cluster. */
export interface LeaderLock {
  /**
   * Writes the result of the work, in a transaction that requires that this worker still has the lock.
   * @throws LeaderLockLost otherwise
   */
  readonly write: <Result>(operation: (trx: Db) => Promise<Result>) => Promise<Result>;
}

/** The leader locks of one worker. */
export interface LeaderLocks {
  /** Takes a lock, or keeps it. Renews the lease. @returns undefined while another worker has it */
  take(name: string): Promise<LeaderLock | undefined>;
  /** Whether the worker has any leader lock. */
  hasAny(): Promise<boolean>;
}

/** How many times a lock has been taken, if this worker has it. */
const claimsOf = async (db: Db, name: string, owner: string): Promise<number | undefined> =>
  (
    await db
      .selectFrom('duty')
      .select('claims')
      .where('name', '=', name)
      .where('owner', '=', owner)
      .$call(db.sql.held)
      .executeTakeFirst()
  )?.claims;

/** Takes a free lock. @returns how many times it has been taken by now; undefined if another worker has it */
async function claim(trx: Db, name: string, owner: string): Promise<number | undefined> {
  await trx
    .insertInto('duty')
    .values({ name, claims: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const taken = await trx
    .updateTable('duty')
    .set((eb) => ({ owner, claims: eb('claims', '+', 1) }))
    .where('name', '=', name)
    .where('owner', 'is', null)
    .returning('claims')
    .executeTakeFirst();
  return taken?.claims;
}

/** Creates the leader locks of a worker from its lease. A worker that dies loses them with its lease. */
export function createLeaderLocks(db: DataStore, lease: Lease): LeaderLocks {
  // If only one process serves the records, it is always the leader.
  if (!db.isShared)
    return { take: async () => ({ write: (operation) => db.write(operation) }), hasAny: async () => false };
  const leaderLockOf = (name: string, claims: number): LeaderLock => ({
    write: (operation) =>
      db.write(async (trx) => {
        if ((await claimsOf(trx, name, lease.owner)) !== claims) throw new LeaderLockLost(name);
        return operation(trx);
      }),
  });
  return {
    take: async (name) => {
      const present = await db.reader.selectFrom('duty').select('owner').where('name', '=', name).executeTakeFirst();
      if (present && present.owner !== null && present.owner !== lease.owner) return undefined;
      const claims = await db.write(async (trx) => {
        await lease.renew(trx);
        return (await claimsOf(trx, name, lease.owner)) ?? claim(trx, name, lease.owner);
      });
      return claims === undefined ? undefined : leaderLockOf(name, claims);
    },
    hasAny: async () =>
      (await db.reader.selectFrom('duty').select('name').where('owner', '=', lease.owner).limit(1).execute()).length >
      0,
  };
}
