import { operations } from '../../src/contract/operations.ts';
import { defineTool, record, services } from '../../src/mcp/tool.ts';

export const stopEnvironment = defineTool(operations.stop_environment, {
  toolset: 'environments',
  description:
    'Shut down everything in an environment, for instance to save money overnight. All its services stop serving until they are ' +
    'deployed again.',
  plan: () => ['Every service in it stops serving until it is deployed again.'],
  preview: services('Takes down'),
  render: record({ first: ['state', 'id'] }),
  next: 'Accepted, not stopped yet: get_environment_status shows when it is STOPPED.',
});
