import { operations } from '../../src/contract/operations.ts';
import { defineTool, record } from '../../src/mcp/tool.ts';

export const getOrganization = defineTool(operations.get_organization, {
  toolset: 'organization',
  description:
    'Start here: find the id of the organization that the API token belongs to, with its name, plan and owner. Most other lookups ' +
    'begin with this id.',
  render: record({ left: ['results', 'icon_uri'] }),
});
