import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { PlatformClock } from '../common/index.ts';
import type { Db } from '../store/index.ts';

/** How long a worker keeps its claims without renewing its lease, in milliseconds. */
export const leaseMilliseconds = 3000;

/** How often a worker with claims renews its lease, in milliseconds: two may be late. */
export const heartbeatMilliseconds = leaseMilliseconds / 3;

// The workers of this process. Any other row with our process id belongs to an earlier process with the same id.
const ownWorkers = new Set<string>();

/** A worker's right to its claims. It expires unless it is renewed. */
export interface Lease {
  readonly owner: string;
  /** Registers the worker or renews its lease. Part of every claim. */
  renew(db: Db): Promise<void>;
  /**
   * Frees the claims of dead workers, whose process has exited or whose lease has expired. Returns how many others are
   * left.
   */
  reap(): Promise<number>;
  /** Frees this worker's claims for other workers. */
  release(): Promise<void>;
}

/** The scope in which process ids are unique: containers may share a host name, and each has a process 1. */
function processSpace(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Only Linux has PID namespaces.
    return hostname();
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, but we may not signal it.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Creates the lease of a new worker in this process. @param owner the worker's id, unique among all workers */
export function createLease(db: Db, clock: PlatformClock, owner: string): Lease {
  const host = processSpace();
  ownWorkers.add(owner);

  const isGone = (worker: { id: string; host: string; pid: number; lease_until_ms: number }): boolean => {
    if (ownWorkers.has(worker.id)) return false;
    if (worker.lease_until_ms < clock.now()) return true;
    return worker.host === host && (worker.pid === process.pid || !isAlive(worker.pid));
  };

  return {
    owner,
    renew: async (trx) => {
      const lease_until_ms = clock.now() + leaseMilliseconds;
      await trx
        .insertInto('worker')
        .values({ id: owner, host, pid: process.pid, lease_until_ms })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ lease_until_ms }))
        .execute();
    },
    reap: async () => {
      const workers = await db.selectFrom('worker').selectAll().execute();
      const gone = workers.filter(isGone).map((worker) => worker.id);
      if (gone.length > 0) await db.deleteFrom('worker').where('id', 'in', gone).execute();
      return workers.filter((worker) => worker.id !== owner).length - gone.length;
    },
    release: async () => {
      ownWorkers.delete(owner);
      await db.deleteFrom('worker').where('id', '=', owner).execute();
    },
  };
}
