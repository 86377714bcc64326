import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, record } from '../../src/server/tool/index.ts';
import { variableOperations } from '../shared/owned-variables.ts';

export const createEnvironmentVariable = defineTool(operations.create_environment_variable, {
  toolset: 'variables',
  sameDeeds: Object.values(variableOperations.create),
  description: [
    'Add an environment variable (env var), a configuration value, to an application.',
    naming`For passwords, keys and tokens use ${'create_secret'} instead.`,
  ],
  render: record({ first: ['key', 'value', 'id', 'scope', 'variable_type'] }),
  next: naming`It takes effect with the next ${'deploy_application'}.`,
});
