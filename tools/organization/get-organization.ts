import { operations } from '../../src/contract/index.ts';
import { defineTool, record } from '../../src/server/tool/index.ts';

export const getOrganization = defineTool(operations.get_organization, {
  toolset: 'organization',
  description: 'See the organization that the API token belongs to: its name, plan, owner and id. No other tool has to be given the id.',
  render: record({ omitted: ['results', 'icon_uri'] }),
});
