import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, record } from '../../src/server/tool/index.ts';

export const createEnvironment = defineTool(operations.create_environment, {
  toolset: 'environments',
  description: 'Add an environment, such as staging or production, to a project. It starts empty, on the cluster you name.',
  render: record({ first: ['name', 'id', 'mode', 'cluster_name'] }),
  next: naming`Next: ${'create_application'} or ${'create_database'} puts services into it.`,
});
