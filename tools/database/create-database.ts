import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, record } from '../../src/server/tool/index.ts';

export const createDatabase = defineTool(operations.create_database, {
  toolset: 'services',
  description: 'Set up a PostgreSQL, MySQL, MongoDB or Redis database in an environment. Creates it without deploying.',
  fields: { instance_type: 'Size, for MANAGED.' },
  render: record({ first: ['name', 'id', 'type', 'version', 'mode'] }),
  next: naming`It is not deployed yet: ${'deploy_database'} starts it.`,
});
