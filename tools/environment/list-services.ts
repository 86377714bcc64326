import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, wholeTable } from '../../src/server/tool/index.ts';

export const listServices = defineTool(operations.list_services, {
  toolset: 'environments',
  description: ['Find the services of an environment, of every kind, with their ids and whole configuration.', naming`Read it before ${'update_container'}.`],
  render: wholeTable('service', ['name', 'id', 'service_type'], ['icon_uri', 'environment', 'created_at', 'updated_at']),
});
