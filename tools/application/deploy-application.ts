import { operations } from '../../src/contract/index.ts';
import { defineTool, deployment } from '../../src/server/tool/index.ts';
import { startMoment } from '../shared/deployment-started.ts';

export const deployApplication = defineTool(operations.deploy_application, {
  toolset: 'services',
  title: 'Deploy an application: newest code, branch or commit',
  description: 'Ship or release the latest code of an application: its newest commit, or a specific one.',
  preview: deployment,
  ...startMoment('DEPLOY', 'application_id'),
});
