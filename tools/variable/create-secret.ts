import { operations } from '../../src/contract/index.ts';
import { defineTool, omit, record, type Tool } from '../../src/server/tool/index.ts';
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

const ofApplication = defineTool(operations.create_secret, {
  toolset: 'variables',
  title: 'Add a secret',
  description:
    'Store or save a secret of a service, environment or project (password, access token, API key, credentials) without anyone seeing it: nobody can ' +
    'read it again.',
  // Both give a secret a value that nobody sees.
  equivalentOperations: variableOperations('updateSecret'),
  input: { ...ownerInput, application_id: undefined },
  expand: async (args, context) => [
    planCreation(ownerIn(context, 'set', ...ownerMembers), omit(args, ownerMembers), true),
  ],
  preview: variableChange,
  render: record({ first: ['key', 'id', 'scope', 'variable_type'] }),
  next: 'It takes effect with the next deployment.',
});

export const createSecret: Tool = {
  ...ofApplication,
  operations: variableOperations('createSecret'),
  rules: oneOf(...ownerMembers),
  matchesAction: matchesValueOf('secrets'),
};
