import { operations } from '../../src/contract/index.ts';
import { clusterUpgrade, defineTool, naming, record } from '../../src/server/tool/index.ts';

export const upgradeCluster = defineTool(operations.upgrade_cluster, {
  toolset: 'clusters',
  description: "Upgrade a cluster to the next, newer Kubernetes version. Takes long, moves its workloads and can't be undone.",
  plan: () => ['Its workloads are moved while nodes are replaced, and there is no way back. A lock of the cluster refuses it.'],
  preview: clusterUpgrade,
  render: record({ first: ['status', 'cluster_id', 'next_k8s_available_version'] }),
  next: naming`Accepted, not upgraded yet: ${'wait_for_deployment'} with the cluster waits for the end.`,
});
