import * as z from 'zod';
import { operations } from '../../src/contract/index.ts';
import { clusterLock, defineTool, notLocked, pruneRecord, record } from '../../src/server/tool/index.ts';

export const unlockCluster = defineTool(operations.unlock_cluster, {
  toolset: 'clusters',
  title: 'Unlock a cluster',
  description: 'Lift the freeze, remove the lock of a cluster: let people deploy again. Read why it is there first.',
  preview: clusterLock,
  noOpCheck: notLocked,
  output: z.object({ cluster_id: z.string(), name: z.string(), is_locked: z.boolean() }),
  answer: ({ cluster_id: id }, { resolved }) =>
    Promise.resolve(pruneRecord({ name: resolved['cluster_id']?.name, cluster_id: id, is_locked: false })),
  render: record({ first: ['name', 'cluster_id', 'is_locked'] }),
  next: 'What it hosts can be changed and deployed again.',
});
