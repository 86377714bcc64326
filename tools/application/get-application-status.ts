import { operations } from '../../src/contract/index.ts';
import { defineTool, record } from '../../src/server/tool/index.ts';

export const getApplicationStatus = defineTool(operations.get_application_status, {
  toolset: 'services',
  description:
    'Check whether an application is up, deploying or failed, and how its last deployment went, step by step. DEPLOYED is good; a ' +
    'state with ERROR, or STOPPED, is bad; others are still moving.',
  render: record({ first: ['state', 'service_deployment_status', 'last_deployment_date', 'id'] }),
});
