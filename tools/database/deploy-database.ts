import { operations } from '../../src/contract/index.ts';
import { defineTool, deployment } from '../../src/server/tool/index.ts';
import { startMoment } from '../shared/deployment-started.ts';

export const deployDatabase = defineTool(operations.deploy_database, {
  toolset: 'services',
  description: 'Start a database, or roll out its changed configuration. Answers at once, with it still queued.',
  preview: deployment,
  ...startMoment('DEPLOY', 'database_id'),
});
