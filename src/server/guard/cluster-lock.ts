import { operations, serviceKinds, type AnyOperation } from '../../contract/index.ts';
import { fail } from '../failure/index.ts';
import { lockReads, naming, organizationOf, readUses, show, textOf, type ReadUse } from '../tool/index.ts';
import { isRecord, type JsonRecord } from '../json/index.ts';
import { referencesIn } from './risk/find-target.ts';
import { lockEnd, readById, readClusterLocks, targetAndTouched, type Reader } from '../context/index.ts';
import type { TargetedOperation, GuardedCall } from './guarded-call.ts';

/** Changes that a lock doesn't block: cancelling a running deployment, and changing the lock itself. */
const allowedUnderLock: readonly AnyOperation[] = [operations.cancel_deployment, operations.lock_cluster, operations.unlock_cluster];

const hostedKinds: readonly string[] = ['environment', ...serviceKinds];

/** What finding a lock reads, for an operation that a lock can block. */
export function readsToFindLock(operation: AnyOperation): readonly ReadUse[] {
  const refersToCluster = Object.values(operation.roles).some((role) => typeof role === 'object' && 'pointsAt' in role && role.pointsAt === 'cluster');
  const isBlocked = operation.effect !== 'read' && !allowedUnderLock.includes(operation) && (refersToCluster || [...hostedKinds, 'cluster'].includes(operation.target));
  const without = 'a lock of the cluster shows only when the platform refuses the change';
  return isBlocked ? [...readUses(without, operations.get_organization), ...lockReads(without)] : [];
}

/**
 * The clusters that an operation changes, or that host what it changes: records with a `cluster_id`. Empty for reads
 * and for operations that a lock doesn't block.
 */
async function hostsOf({ operation, input, target }: TargetedOperation, reader: Reader): Promise<readonly JsonRecord[]> {
  if (operation.effect === 'read' || allowedUnderLock.includes(operation)) return [];
  const clusters = [target, ...referencesIn(operation, input)].filter(({ kind, id }) => kind === 'cluster' && id !== undefined);
  const environments = targetAndTouched(target).flatMap(({ kind, environment, why }) => (why !== 'hosted' && hostedKinds.includes(kind) && environment?.id !== undefined ? [environment.id] : []));
  const records = await Promise.all([...new Set(environments)].map((id) => readById('environment', id, reader)));
  return [...records.filter((record) => record !== undefined), ...clusters.map(({ id }) => ({ cluster_id: id }))];
}

/** The organization's id, if an environment's record includes it. */
const organizationIn = ({ organization }: JsonRecord): string | undefined => (isRecord(organization) ? textOf(organization, 'id') : undefined);

const lockText = (lock: JsonRecord): string => {
  const end = lockEnd(lock);
  const until = Number.isFinite(end) ? ` until ${new Date(end).toISOString()}` : '';
  return `Cluster ${show(lock['cluster_id'])} is locked by ${show(lock['owner_name'])} since ${show(lock['locked_at'])}${until}: ${show(lock['reason'])}`;
};

/** The lock that would make the platform refuse one of the operations; undefined if there is none or it can't be read. */
async function findLock(targetedOperations: readonly TargetedOperation[], reader: Reader, now: number): Promise<JsonRecord | undefined> {
  const hosts = (await Promise.all(targetedOperations.map((one) => hostsOf(one, reader)))).flat().filter((host) => textOf(host, 'cluster_id') !== undefined);
  const [first] = hosts;
  const organization_id = first && (organizationIn(first) ?? (await organizationOf(reader)));
  if (organization_id === undefined) return undefined;
  const clusters = [...new Set(hosts.map((host) => String(host['cluster_id'])))];
  const locks = await readClusterLocks(organization_id, clusters, reader);
  return [...locks.values()].find((lock) => lock !== null && !(lockEnd(lock) <= now)) ?? undefined;
}

/**
 * Checks that no cluster lock blocks the operations, so that nobody is asked to confirm a call that the platform will
 * refuse. Costs one or two reads where the platform lists
 * locks.
 * @throws CallFailure `not_possible` with the lock's owner and reason; ApiError if the platform fails.
 */
export async function assertNotLocked({ reader, context }: GuardedCall, targetedOperations: readonly TargetedOperation[]): Promise<void> {
  const lock = await findLock(targetedOperations, reader, context.clock.now());
  if (!lock) return;
  fail({
    kind: 'not_possible',
    what: 'its cluster is locked, and the platform refuses every change to what a locked cluster hosts, so nobody was asked to agree',
    next: [
      'Tell the user who locked it and why: that person can be asked, or the end of the lock be waited for.',
      naming`${'unlock_cluster'} lifts it; only with the consent of whoever locked it.`,
    ],
    seen: lockText(lock),
  });
}
