import { operations } from '../../src/contract/index.ts';
import { allDown, defineTool, services } from '../../src/server/tool/index.ts';
import { startMoment } from '../shared/deployment-started.ts';

export const stopEnvironment = defineTool(operations.stop_environment, {
  toolset: 'environments',
  title: 'Stop a whole environment, save money',
  description:
    'Turn off, shut down or pause a whole environment, such as staging for the night, until it is deployed again.',
  plan: () => ['Every service in it stops serving until it is deployed again.'],
  preview: services('Takes down'),
  noOpCheck: allDown,
  ...startMoment('STOP', 'environment_id'),
});
