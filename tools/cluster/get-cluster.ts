import * as z from 'zod';
import { operations, reference } from '../../src/contract/index.ts';
import {
  composeTool,
  isRecord,
  lockReads,
  omit,
  organizationOf,
  pruneRecord,
  readClusterLocks,
  readUses,
  record,
  rowsIn,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { hostedByClusters, readsOfHosted } from '../shared/hosted-by-clusters.ts';
import { lockColumns } from './clusters.ts';

/** Members that no tool shows, under any spelling: with a kubeconfig its holder is an administrator of the cluster. */
const isAccess = (name: string): boolean => /kube_?config/i.test(name);

const withoutAccess = (shown: JsonRecord): JsonRecord => omit(shown, Object.keys(shown).filter(isAccess));

/** A part of a cluster that couldn't be read is missing, and the answer says so. */
async function part(
  context: ToolContext,
  what: string,
  read: Promise<JsonRecord | undefined>,
): Promise<JsonRecord | undefined> {
  const found = await read;
  if (found === undefined) context.leftOut(`${what} can not be read on this platform, or the token may not read it.`);
  return found;
}

async function lockOf(context: ToolContext, organization: string, id: string): Promise<JsonRecord> {
  const lock = (await readClusterLocks(organization, [id], context)).get(id);
  if (lock === undefined) return {};
  return isRecord(lock) ? { is_locked: true, ...lockColumns(lock) } : { is_locked: false };
}

export const getCluster = composeTool({
  name: 'get_cluster',
  toolset: 'administration',
  title: 'Settings of a cluster: limits, timeouts',
  description: 'One cluster: version, state, lock, nodes, hosted environments, advanced settings.',
  input: { cluster: reference('cluster') },
  operations: [operations.list_clusters, operations.get_cluster_status, operations.get_cluster_advanced_settings],
  reads: [
    ...readUses('the cluster is not found', operations.get_organization, operations.list_clusters),
    ...readUses('its next version is not shown', operations.get_cluster_status),
    ...readUses('its advanced settings are not shown', operations.get_cluster_advanced_settings),
    ...lockReads('it is not shown who locked it, why and until when'),
    ...readsOfHosted,
  ],
  output: z.object({
    name: z.string(),
    id: z.string(),
    status: z.string(),
    version: z.string(),
    next_version: z.string(),
    hosts: z.string(),
    advanced_settings: z.object({}),
  }),
  answer: async ({ cluster: id }, context) => {
    const organization_id =
      (await organizationOf(context)) ??
      context.refuse('the organization is not known, and clusters belong to it', 'The token may not read it.');
    const input = { organization_id, cluster_id: id };
    const [list, status, settings, lock, hostedBy] = await Promise.all([
      context.read(operations.list_clusters, { organization_id }),
      part(context, 'Its next version', context.attempt(operations.get_cluster_status, input)),
      part(context, 'Its advanced settings', context.attempt(operations.get_cluster_advanced_settings, input)),
      lockOf(context, organization_id, id),
      hostedByClusters(organization_id, context),
    ]);
    const row =
      rowsIn(list).find((one) => one['id'] === id) ??
      context.refuse('the platform lists no such cluster', 'List the clusters again.');
    return pruneRecord({
      ...withoutAccess(omit(row, ['organization', 'conditions'])),
      ...lock,
      next_version: status?.['next_k8s_available_version'],
      last_deployment_date: status?.['last_deployment_date'],
      hosts: hostedBy?.(id),
      advanced_settings: settings && withoutAccess(settings),
    });
  },
  render: record({ first: ['name', 'id', 'status', 'version', 'next_version', 'hosts', 'is_locked'] }),
});
