import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, record } from '../../src/server/tool/index.ts';
import { variableOperations } from '../shared/owned-variables.ts';

export const createSecret = defineTool(operations.create_secret, {
  toolset: 'variables',
  sameDeeds: Object.values(variableOperations.createSecret),
  description:
    'Store or save a secret of an application (password, access token, API key, credentials) without anyone seeing it: nobody can read or change ' +
    'it again, here or elsewhere.',
  render: record({ first: ['key', 'id', 'scope', 'variable_type'] }),
  next: naming`It takes effect with the next ${'deploy_application'}.`,
});
