import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, record } from '../../src/server/tool/index.ts';

export const createDatabase = defineTool(operations.create_database, {
  toolset: 'services',
  title: 'Create a database',
  description: 'Set up, provision or spin up a database: Postgres (POSTGRESQL), MySQL, MongoDB or Redis; not deployed.',
  fields: { instance_type: 'Size, for MANAGED.' },
  render: record({ first: ['name', 'id', 'type', 'version', 'mode'] }),
  next: naming`It is not deployed yet: ${'deploy_database'} starts it.`,
});
