import { operations } from '../../src/contract/index.ts';
import { clusterUpgrade, defineTool, record } from '../../src/server/tool/index.ts';

export const upgradeCluster = defineTool(operations.upgrade_cluster, {
  toolset: 'clusters',
  title: 'Update Kubernetes on a cluster',
  description:
    "Upgrade a cluster to the next, newer Kubernetes version. Takes long, moves its workloads and can't be undone.",
  plan: () => [
    'Its workloads are moved while nodes are replaced, and there is no way back. A lock of the cluster refuses it.',
  ],
  preview: clusterUpgrade,
  render: record({ first: ['status', 'cluster_id', 'next_k8s_available_version'] }),
  next: (_view, { cluster_id: cluster }) => [
    { tool: 'wait_for_deployment', arguments: { cluster }, why: 'accepted, not upgraded yet: this waits for the end' },
  ],
});
