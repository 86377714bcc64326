import { operations } from '../../src/contract/index.ts';
import { clusterLock, defineTool, notLocked, record } from '../../src/server/tool/index.ts';

export const unlockCluster = defineTool(operations.unlock_cluster, {
  toolset: 'clusters',
  description: 'Lift the freeze, remove the lock of a cluster: let people deploy again. Whoever locked it had a reason: read it first.',
  preview: clusterLock,
  noOpCheck: notLocked,
  render: record(),
  next: 'What it hosts can be changed and deployed again.',
});
