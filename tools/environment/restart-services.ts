import { operations } from '../../src/contract/operations.ts';
import { defineTool, record, services } from '../../src/mcp/tool.ts';

export const restartServices = defineTool(operations.restart_services, {
  toolset: 'environments',
  description: 'Reboot applications, databases or containers of an environment without changing them. Needs at least one id.',
  plan: () => ['The services are restarted and may be unavailable for a moment.'],
  preview: services('Restarts'),
  render: record({ first: ['state', 'id'] }),
  next: 'Accepted, not restarted yet: get_environment_status shows when they are RESTARTED.',
});
