import { operations } from '../../src/contract/operations.ts';
import { defineTool, deployment, record } from '../../src/mcp/tool.ts';

export const deployDatabase = defineTool(operations.deploy_database, {
  toolset: 'services',
  description: 'Start a database, or roll out its changed configuration. Answers at once, while the deployment is still queued.',
  preview: deployment,
  render: record({ first: ['state', 'id', 'database_id'] }),
  next: 'Accepted, not deployed yet: get_environment_status shows when it is DEPLOYED or failed.',
});
