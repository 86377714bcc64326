import { operations } from '../../src/contract/index.ts';
import { defineTool, deployment } from '../../src/server/tool/index.ts';
import { startMoment } from '../shared/deployment-started.ts';

export const deployDatabase = defineTool(operations.deploy_database, {
  toolset: 'services',
  title: 'Deploy a database',
  description: 'Deploy a database: starts it, or brings in its changed configuration.',
  preview: deployment,
  ...startMoment('DEPLOY', 'database_id'),
});
