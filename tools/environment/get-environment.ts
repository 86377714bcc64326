import { operations } from '../../src/contract/index.ts';
import { defineTool, record } from '../../src/server/tool/index.ts';

export const getEnvironment = defineTool(operations.get_environment, {
  toolset: 'environments',
  title: 'Which mode and cluster an environment has',
  description: 'Look up one environment by its id: name, mode, project and cluster.',
  render: record({ first: ['name', 'id', 'mode', 'cluster_name'] }),
});
