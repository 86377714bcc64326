import { operations } from '../../../contract/index.ts';
import { isRecord, type JsonRecord } from '../../json/index.ts';
import { lockFacts, readClusterLocks, type Reader, type Target } from '../../context/index.ts';
import { lockReads, reading, readUses } from '../reads.ts';
import {
  organizationOf,
  stateBefore,
  rowWith,
  show,
  textOf,
  notKnown,
  type NoOpCheck,
  type PlanLine,
  type Preview,
} from './preview.ts';

const lockedReads = [
  ...readUses('the plan does not show whether the cluster is locked', operations.get_organization),
  ...lockReads('the plan does not show whether the cluster is locked'),
];

const clusterReads = [
  ...lockedReads,
  ...readUses(
    'the plan does not show the version of the cluster',
    operations.get_organization,
    operations.list_clusters,
    operations.get_cluster_status,
  ),
];

interface ClusterState {
  readonly cluster?: JsonRecord;
  readonly status?: JsonRecord;
  /** Null if it isn't locked, undefined if that can't be read. */
  readonly lock?: JsonRecord | null;
}

async function readCluster({ id }: Target, reader: Reader): Promise<ClusterState> {
  const organization_id = await organizationOf(reader);
  if (organization_id === undefined || id === undefined) return {};
  const [list, status] = await Promise.all([
    reader.attempt(operations.list_clusters, { organization_id }),
    reader.attempt(operations.get_cluster_status, { organization_id, cluster_id: id }),
  ]);
  const told = status?.['cluster_lock'];
  const lock = isRecord(told) || told === null ? told : (await readClusterLocks(organization_id, [id], reader)).get(id);
  return { cluster: rowWith(list, id), status, lock };
}

/** For lock_cluster: a locked cluster can't be locked again. */
export const alreadyLocked: NoOpCheck = reading(clusterReads, async (_, { target, reader }) => {
  const { lock } = await readCluster(target, reader);
  return lock
    ? { why: 'the cluster is locked already, and a lock can be lifted but not changed', seen: [presentLockText(lock)] }
    : undefined;
});

/** For unlock_cluster: the cluster isn't locked. */
export const notLocked: NoOpCheck = reading(clusterReads, async (_, { target, reader }) => {
  const { lock } = await readCluster(target, reader);
  return lock === null ? { why: 'the cluster is not locked' } : undefined;
});

/** Who locked the cluster and why, after words such as `It is locked now`. */
function lockText(words: string, lock: JsonRecord): string {
  const days = lock['ttl_in_days'] ?? undefined;
  const text = `${words}${lockFacts(lock, show, days === undefined ? '' : ` for ${show(days)} days`)}`;
  return /[.!?]["”]?$/.test(text) ? text : `${text}.`;
}

function presentLockText(lock: JsonRecord | null | undefined): string {
  if (lock === undefined) return notKnown('whether it is locked');
  return lock === null ? 'It is not locked now.' : lockText('It is locked now', lock);
}

/** A confirmation covers who locked it and why, but not when. */
const lockLine = (lock: JsonRecord | null | undefined): PlanLine => ({
  text: presentLockText(lock),
  agreed: lock ? `locked by ${show(lock['owner_name'])}: ${show(lock['reason'])}` : '',
  after: lock ? lockText('Before, it was locked', lock) : '',
});

/** Whether the target cluster is locked now, by whom and why. */
export const clusterLock: Preview = reading(clusterReads, async (_, { target, reader }) => [
  lockLine((await readCluster(target, reader)).lock),
]);

/** The present and next version of the target cluster, its status and its lock. */
export const clusterUpgrade: Preview = reading(clusterReads, async (_, { target, reader }) => {
  const { cluster, status, lock } = await readCluster(target, reader);
  if (!status) return [notKnown('which version replaces which'), ...(lock ? [lockLine(lock)] : [])];
  const [from, to] = [textOf(cluster, 'version') ?? 'an unknown version', textOf(status, 'next_k8s_available_version')];
  const versions = to === undefined ? `From ${from}; the platform knows no next version.` : `From ${from} to ${to}.`;
  return [versions, stateBefore(`The cluster is ${show(status['status'])} now.`), lockLine(lock)];
});
