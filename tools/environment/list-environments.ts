import { operations } from '../../src/contract/index.ts';
import { defineTool, table } from '../../src/server/tool/index.ts';

export const listEnvironments = defineTool(operations.list_environments, {
  toolset: 'environments',
  equivalentOperations: [operations.list_environments_of_organization, operations.list_environment_overviews],
  title: 'Show the environments that exist in a project',
  description:
    'What environments does a project have? Lists them with their modes (STAGING, PRODUCTION …), clusters and ids.',
  render: table('environment', ['name', 'id', 'mode', 'cluster_name', 'cluster_id', 'last_updated_by', 'updated_at']),
});
