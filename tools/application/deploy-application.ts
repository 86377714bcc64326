import { operations } from '../../src/contract/index.ts';
import { defineTool, deployment } from '../../src/server/tool/index.ts';
import { startMoment } from '../shared/deployment-started.ts';

export const deployApplication = defineTool(operations.deploy_application, {
  toolset: 'services',
  description:
    'Ship, release or roll back an application: deploys the newest commit of its branch, or the commit you name. Answers at once, ' +
    'with it still queued.',
  preview: deployment,
  ...startMoment('DEPLOY', 'application_id'),
});
