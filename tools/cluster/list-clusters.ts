import { operations } from '../../src/contract/index.ts';
import { defineTool, table } from '../../src/server/tool/index.ts';

export const listClusters = defineTool(operations.list_clusters, {
  toolset: 'clusters',
  description: 'See which clusters an organization has, with their state, version, region and whether they are locked.',
  render: table('cluster', ['name', 'id', 'status', 'is_locked', 'version', 'region', 'cloud_provider', 'production', 'is_default', 'description']),
});
