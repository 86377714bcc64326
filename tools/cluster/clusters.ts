import * as z from 'zod';
import { isoAt, operations, unknownTime, type InputOf } from '../../src/contract/index.ts';
import {
  compact,
  defineTool,
  isRecord,
  lockEnd,
  lockReads,
  organizationOf,
  pick,
  pruneRecord,
  readUses,
  readClusterLocks,
  recordsIn,
  rowsIn,
  table,
  tableText,
  textOf,
  type JsonRecord,
  type Renderer,
  type ToolContext,
  clusterLock,
  alreadyLocked,
  record,
  notLocked,
  clusterUpgrade,
} from '../../src/server/tool/index.ts';
import { hostedByClusters, readsOfHosted, withHostedLine } from '../shared/hosted-by-clusters.ts';
import { ifPossible } from '../shared/if-possible.ts';
import { joined } from '../shared/plan-parts.ts';
import { alertsOnClusters } from './cluster-alerts.ts';
import { upgradeOutlook } from './upgrade-outlook.ts';

/** The columns of a cluster's lock: who locked it, why and until when. */
export function lockColumns(lock: JsonRecord): JsonRecord {
  const end = lockEnd(lock);
  return pruneRecord({
    locked_by: lock['owner_name'],
    lock_reason: lock['reason'],
    locked_until: Number.isFinite(end) ? (isoAt(end) ?? unknownTime) : undefined,
  });
}

const isNotLocked = ({ is_locked: locked }: JsonRecord): boolean => locked === false;

/** The clusters with what they host. */
async function withHosted(organizationId: unknown, context: ToolContext, answer: JsonRecord): Promise<JsonRecord> {
  const rows = rowsIn(answer);
  const organization = typeof organizationId === 'string' ? organizationId : await organizationOf(context);
  const hostedBy =
    organization === undefined || rows.length === 0 ? undefined : await hostedByClusters(organization, context);
  return hostedBy
    ? { ...answer, results: rows.map((row) => ({ ...row, hosts: hostedBy(String(row['id'])) })) }
    : answer;
}

/** The clusters with their locks, which are read unless every cluster is marked as unlocked. */
async function withLocks(organizationId: unknown, context: ToolContext, answer: JsonRecord): Promise<JsonRecord> {
  const rows = rowsIn(answer);
  if (rows.every(isNotLocked)) return answer;
  const organization = typeof organizationId === 'string' ? organizationId : await organizationOf(context);
  const ids = rows.flatMap((row) => (isNotLocked(row) ? [] : (textOf(row, 'id') ?? [])));
  const locks =
    organization === undefined
      ? new Map<string, JsonRecord | null>()
      : await readClusterLocks(organization, ids, context);
  return {
    ...answer,
    results: rows.map((row) => {
      const lock = locks.get(String(row['id']));
      return isRecord(lock)
        ? { ...row, is_locked: true, ...lockColumns(lock) }
        : lock === null
          ? { ...row, is_locked: false }
          : row;
    }),
  };
}

/** The clusters with the alerts that fire about them: their states tell nothing of what is measured. */
async function withAlerts(organizationId: unknown, context: ToolContext, answer: JsonRecord): Promise<JsonRecord> {
  const rows = rowsIn(answer);
  const organization = typeof organizationId === 'string' ? organizationId : await organizationOf(context);
  if (organization === undefined || rows.length === 0) return answer;
  const names = new Map(rows.flatMap((row) => (textOf(row, 'id') ? [[textOf(row, 'id')!, textOf(row, 'name')]] : [])));
  const alerts = await ifPossible(context, 'Which alerts fire about them', () =>
    alertsOnClusters(context, organization, names),
  );
  return alerts ? { ...answer, cluster_alerts: alerts } : answer;
}

const columns = [
  'name',
  'id',
  'status',
  'hosts',
  'is_locked',
  'locked_by',
  'lock_reason',
  'locked_until',
  'version',
  'region',
  'cloud_provider',
  'production',
  'is_default',
  'description',
];
const nodeColumns = [
  'name',
  'role',
  'state',
  'state_since',
  'availability',
  'address',
  'labels',
  'instances',
  'cpu_used',
  'cpu_allotted',
  'cpu',
  'memory_used',
  'memory_allotted',
  'memory',
];

/** The warnings of a cluster, and its machines. */
const nodesText = (row: JsonRecord): string[] => {
  const [name, warnings, nodes] = [
    compact(row['name'] ?? row['id']),
    Array.isArray(row['warnings']) ? row['warnings'] : [],
    recordsIn(row['nodes']),
  ];
  return [
    ...warnings.map((warning) => `${name}: ${compact(warning)}`),
    ...(nodes.length > 0
      ? [`Nodes of ${name}; CPU in thousandths, memory in MB:\n${tableText(nodes, nodeColumns)}`]
      : []),
  ];
};

const alertLines = ({ cluster_alerts: alerts }: JsonRecord): readonly string[] => {
  if (!Array.isArray(alerts)) return [];
  return alerts.length === 0
    ? ['No alert rule that was read fires about these clusters.']
    : alerts.map((alert) => `Alert about ${compact(alert)}`);
};

/** The same with the alerts that fire below it, whatever the columns. */
const withAlertLines = (one: Renderer): Renderer => ({
  ...one,
  view: (answer) => ({ ...one.view(answer), ...pick(answer, ['cluster_alerts']) }),
  text: (view) => [one.text(view), ...alertLines(view)].join('\n'),
  only: (chosen) => withAlertLines(table('cluster', chosen)),
});

/** The clusters as a table, and below it their machines. */
const clusterTables: Renderer = {
  ...table('cluster', [...columns, 'warnings', 'nodes']),
  text: (view) => [table('cluster', columns).text(view), ...recordsIn(view['results']).flatMap(nodesText)].join('\n'),
};

export const listClusters = defineTool(operations.list_clusters, {
  toolset: 'clusters',
  title: 'Show each cluster: version, lock, nodes',
  description:
    'List clusters, each cluster: status (healthy), cloud, region, Kubernetes version, nodes, environments, ' +
    'services running there; lock: who, reason, until when.',
  reads: [
    ...lockReads('it is not shown who locked a cluster, why and until when'),
    ...readsOfHosted,
    ...readUses('which alerts fire about them is not shown', operations.list_alert_rules),
  ],
  answer: async (args, context) => {
    const { organization_id: organization } = args;
    const list = await context.read(operations.list_clusters, args as InputOf<typeof operations.list_clusters>);
    const [told, locked] = await Promise.all([
      withAlerts(organization, context, list),
      withLocks(organization, context, list).then((rows) => withHosted(organization, context, rows)),
    ]);
    return { ...locked, ...pick(told, ['cluster_alerts']) };
  },
  render: withAlertLines(clusterTables),
});

export const lockCluster = defineTool(operations.lock_cluster, {
  toolset: 'clusters',
  title: 'Deployment freeze: nobody may deploy',
  description:
    'Lock or freeze a cluster (change freeze): block all deploys, deployments, releases, changes, during an ' +
    'incident, release or maintenance.',
  plan: () => [
    'Deployments and changes of everything on it are refused until the lock ends, and so are upgrades of the cluster.',
  ],
  preview: withHostedLine(clusterLock),
  noOpCheck: alreadyLocked,
  render: record({ first: ['cluster_id', 'locked_at', 'ttl_in_days'] }),
  next: 'The lock ends by itself after ttl_in_days.',
});

export const unlockCluster = defineTool(operations.unlock_cluster, {
  toolset: 'clusters',
  title: 'Unlock a cluster: let people deploy again',
  description: 'Lift a freeze, remove a lock of a cluster: allow deploys, deployments again. Read its reason first.',
  preview: withHostedLine(clusterLock),
  noOpCheck: notLocked,
  output: z.object({ cluster_id: z.string(), name: z.string(), is_locked: z.boolean() }),
  answer: ({ cluster_id: id }, { resolved }) =>
    Promise.resolve(pruneRecord({ name: resolved['cluster_id']?.name, cluster_id: id, is_locked: false })),
  render: record({ first: ['name', 'cluster_id', 'is_locked'] }),
  next: 'What it hosts can be changed and deployed again.',
});

export const upgradeCluster = defineTool(operations.upgrade_cluster, {
  toolset: 'clusters',
  title: 'Update old Kubernetes of a cluster',
  description: 'Upgrade a cluster: next, newer Kubernetes version. Takes long, moves workloads, irreversible.',
  plan: () => [
    'Its workloads are moved while nodes are replaced, and there is no way back. A lock of the cluster refuses it.',
  ],
  preview: joined(withHostedLine(clusterUpgrade), upgradeOutlook),
  render: record({ first: ['status', 'cluster_id', 'next_k8s_available_version'] }),
  next: (_view, { cluster_id: cluster }) => [
    { tool: 'wait_for_deployment', arguments: { cluster }, why: 'accepted, not upgraded yet: this waits for the end' },
  ],
});
