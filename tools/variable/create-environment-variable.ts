import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, omit, record, type Tool } from '../../src/server/tool/index.ts';
import { oneOf } from '../shared/any-service.ts';
import {
  matchesValueOf,
  ownerIn,
  ownerInput,
  ownerMembers,
  planCreation,
  variableOperations,
} from '../shared/owned-variables.ts';
import { variableChange } from '../shared/variable-reach.ts';

const ofApplication = defineTool(operations.create_environment_variable, {
  toolset: 'variables',
  title: 'Add one variable',
  description: [
    'Add an environment variable (env var), a configuration value, to a service, environment or project.',
    naming`For passwords, keys and tokens use ${'create_secret'} instead.`,
  ],
  input: { ...ownerInput, application_id: undefined },
  expand: async (args, context) => [
    planCreation(ownerIn(context, 'set', ...ownerMembers), omit(args, ownerMembers), false),
  ],
  preview: variableChange,
  render: record({ first: ['key', 'value', 'id', 'scope', 'variable_type'] }),
  next: 'It takes effect with the next deployment.',
});

export const createEnvironmentVariable: Tool = {
  ...ofApplication,
  operations: variableOperations('create'),
  rules: oneOf(...ownerMembers),
  matchesAction: matchesValueOf('variables'),
};
