import { operations } from '../../src/contract/index.ts';
import { clusterLock, defineTool, alreadyLocked, record } from '../../src/server/tool/index.ts';

export const lockCluster = defineTool(operations.lock_cluster, {
  toolset: 'clusters',
  title: 'Lock a cluster: nobody can deploy to it',
  description:
    'Freeze a cluster, lock it, for instance during an incident: blocks all deploys (deployments) and changes of what it hosts until the lock ' +
    'ends.',
  plan: () => [
    'Deployments and changes of everything on it are refused until the lock ends, and so are upgrades of the cluster.',
  ],
  preview: clusterLock,
  noOpCheck: alreadyLocked,
  render: record({ first: ['cluster_id', 'locked_at', 'ttl_in_days'] }),
  next: 'The lock ends by itself after ttl_in_days.',
});
