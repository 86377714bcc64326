import { operations } from '../../src/contract/index.ts';
import { defineTool, record } from '../../src/server/tool/index.ts';

export const getOrganization = defineTool(operations.get_organization, {
  toolset: 'organization',
  title: 'Which organization this is',
  description:
    'Which organization (company, account) is this? Its name, plan, owner and id. No other tool has to be given the id.',
  render: record({ omitted: ['results', 'icon_uri'] }),
});
