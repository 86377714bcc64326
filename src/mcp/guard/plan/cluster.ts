import { operations } from '../../../contract/operations.ts';
import { isRecord, type JsonRecord } from '../../values.ts';
import { attempt, type Read, type Target } from '../target.ts';
import { organizationOf, rowWith, show, textOf, unread, type Preview } from './preview.ts';

interface Seen {
  readonly cluster?: JsonRecord;
  readonly status?: JsonRecord;
}

async function look({ id }: Target, read: Read): Promise<Seen> {
  const organization_id = await organizationOf(read);
  if (organization_id === undefined || id === undefined) return {};
  const [list, status] = await Promise.all([
    attempt(read(operations.list_clusters, { organization_id })),
    attempt(read(operations.get_cluster_status, { organization_id, cluster_id: id })),
  ]);
  return { cluster: rowWith(list, id), status };
}

function lockText(status: JsonRecord | undefined): string {
  if (!status) return unread('whether it is locked');
  const lock = status['cluster_lock'];
  if (!isRecord(lock)) return 'It is not locked now.';
  return `It is locked now by ${show(lock['owner_name'])} since ${show(lock['locked_at'])} for ${show(lock['ttl_in_days'])} days: ${show(lock['reason'])}.`;
}

/** Whether the target cluster is locked now, by whom and why. */
export const clusterLock: Preview = async (_, { target, read }) => [lockText((await look(target, read)).status)];

/** Which version of the target cluster is replaced by which. */
export const clusterUpgrade: Preview = async (_, { target, read }) => {
  const { cluster, status } = await look(target, read);
  if (!status) return [unread('which version replaces which')];
  const [from, to] = [textOf(cluster, 'version') ?? 'an unknown version', textOf(status, 'next_k8s_available_version')];
  const versions = to === undefined ? `From ${from}; the platform knows no next version.` : `From ${from} to ${to}.`;
  return [versions, `The cluster is ${show(status['status'])} now.`, lockText(status)];
};
