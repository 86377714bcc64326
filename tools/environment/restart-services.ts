import { operations } from '../../src/contract/index.ts';
import { defineTool, services } from '../../src/server/tool/index.ts';
import { startMoment } from '../shared/deployment-started.ts';

export const restartServices = defineTool(operations.restart_services, {
  toolset: 'environments',
  description: 'Reboot applications, databases or containers of an environment without changing them. Needs at least one id.',
  plan: () => ['The services are restarted and may be unavailable for a moment.'],
  preview: services('Restarts'),
  ...startMoment('RESTART', 'environment_id'),
});
