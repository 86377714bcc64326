import { operations } from '../../src/contract/operations.ts';
import { defineTool, deployment, record } from '../../src/mcp/tool.ts';

export const deployApplication = defineTool(operations.deploy_application, {
  toolset: 'services',
  description:
    'Ship, release or roll back an application: deploys the newest commit of its branch, or the commit you name. Answers at once, ' +
    'while the deployment is still queued.',
  preview: deployment,
  render: record({ first: ['state', 'id', 'application_id'] }),
  next: 'Accepted, not deployed yet: get_application_status shows when it is RUNNING or failed, get_application_logs why.',
});
