import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, record } from '../../src/server/tool/index.ts';
import { variableOperations } from '../shared/owned-variables.ts';

export const createSecret = defineTool(operations.create_secret, {
  toolset: 'variables',
  sameDeeds: Object.values(variableOperations.createSecret),
  description: 'Store a password, API key or other secret for an application. Nobody can read or change it again, here or elsewhere.',
  render: record({ first: ['key', 'id', 'scope', 'variable_type'] }),
  next: naming`It takes effect with the next ${'deploy_application'}.`,
});
