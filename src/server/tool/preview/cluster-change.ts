import { operations } from '../../../contract/index.ts';
import { isRecord, type JsonRecord } from '../../json/index.ts';
import type { Reader, Target } from '../../context/index.ts';
import { reading, readUses } from '../reads.ts';
import { organizationOf, notAgreedTo, rowWith, show, textOf, notKnown, type NoOpCheck, type PlanLine, type Preview } from './preview.ts';

const clusterReads = readUses('the plan shows neither the lock nor the version of the cluster', operations.get_organization, operations.list_clusters, operations.get_cluster_status);

interface ClusterState {
  readonly cluster?: JsonRecord;
  readonly status?: JsonRecord;
}

async function readCluster({ id }: Target, reader: Reader): Promise<ClusterState> {
  const organization_id = await organizationOf(reader);
  if (organization_id === undefined || id === undefined) return {};
  const [list, status] = await Promise.all([
    reader.attempt(operations.list_clusters, { organization_id }),
    reader.attempt(operations.get_cluster_status, { organization_id, cluster_id: id }),
  ]);
  return { cluster: rowWith(list, id), status };
}

/** Whether a cluster is locked, and its lock as text; undefined if that can't be read. */
async function lockOf(target: Target, reader: Reader): Promise<{ readonly locked: boolean; readonly seen: readonly string[] } | undefined> {
  const { status } = await readCluster(target, reader);
  return status && { locked: isRecord(status['cluster_lock']), seen: [lockText(status)] };
}

/** For lock_cluster: a locked cluster can't be locked again. */
export const alreadyLocked: NoOpCheck = reading(clusterReads, async (_, { target, reader }) => {
  const lock = await lockOf(target, reader);
  return lock?.locked ? { why: 'the cluster is locked already, and a lock can be lifted but not changed', seen: lock.seen } : undefined;
});

/** For unlock_cluster: the cluster isn't locked. */
export const notLocked: NoOpCheck = reading(clusterReads, async (_, { target, reader }) => {
  const lock = await lockOf(target, reader);
  return lock?.locked === false ? { why: 'the cluster is not locked' } : undefined;
});

function lockText(status: JsonRecord | undefined): string {
  if (!status) return notKnown('whether it is locked');
  const lock = status['cluster_lock'];
  if (!isRecord(lock)) return 'It is not locked now.';
  return `It is locked now by ${show(lock['owner_name'])} since ${show(lock['locked_at'])} for ${show(lock['ttl_in_days'])} days: ${show(lock['reason'])}.`;
}

/** An agreement covers who locked it and why, but not when. */
function lockLine(status: JsonRecord | undefined): PlanLine {
  const lock = status?.['cluster_lock'];
  return { text: lockText(status), agreed: isRecord(lock) ? `locked by ${show(lock['owner_name'])}: ${show(lock['reason'])}` : '' };
}

/** Whether the target cluster is locked now, by whom and why. */
export const clusterLock: Preview = reading(clusterReads, async (_, { target, reader }) => [lockLine((await readCluster(target, reader)).status)]);

/** The present and next version of the target cluster, its status and its lock. */
export const clusterUpgrade: Preview = reading(clusterReads, async (_, { target, reader }) => {
  const { cluster, status } = await readCluster(target, reader);
  if (!status) return [notKnown('which version replaces which')];
  const [from, to] = [textOf(cluster, 'version') ?? 'an unknown version', textOf(status, 'next_k8s_available_version')];
  const versions = to === undefined ? `From ${from}; the platform knows no next version.` : `From ${from} to ${to}.`;
  return [versions, notAgreedTo(`The cluster is ${show(status['status'])} now.`), lockLine(status)];
});
