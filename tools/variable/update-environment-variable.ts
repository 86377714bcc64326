import { operations } from '../../src/contract/operations.ts';
import { defineTool, record } from '../../src/mcp/tool.ts';

export const updateEnvironmentVariable = defineTool(operations.update_environment_variable, {
  toolset: 'variables',
  description:
    'Change the value or name of a variable of an environment, or of one of its services. Replaces the whole variable: give everything that is to ' +
    'stay.',
  fields: { environment_variable_id: 'From list_environment_variables; not of scope BUILT_IN or PROJECT.' },
  plan: () => ['Replaces the variable. Services that use it get the new value with their next deployment.'],
  render: record({ first: ['key', 'value', 'id', 'scope', 'variable_type'] }),
  next: 'It takes effect with the next deployment of the services that use it.',
});
