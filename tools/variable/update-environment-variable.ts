import { operations } from '../../src/contract/operations.ts';
import { amending, defineTool, record, type JsonRecord } from '../../src/mcp/tool.ts';

const unchangeable = ['BUILT_IN', 'PROJECT'];

/** The platform changes variables of an environment and its services only; asking somebody to agree first would be for nothing. */
const fixed = ({ scope }: JsonRecord) =>
  unchangeable.includes(String(scope))
    ? { what: `it is of scope ${String(scope)}, which can't be changed here`, next: 'Give a container its own value of it with override_environment_variable, or the environment a variable of its own.' }
    : undefined;

export const updateEnvironmentVariable = defineTool(operations.update_environment_variable, {
  toolset: 'variables',
  description:
    'Change the value or name of a variable of an environment, or of one of its services. Give only what changes; the rest stays. Several at once: ' +
    'set_environment_variables.',
  ...amending(operations.update_environment_variable, { fixed }),
  fields: { environment_variable_id: 'Key or id; not of scope BUILT_IN or PROJECT.' },
  plan: () => ['Services that use it get the new value with their next deployment.'],
  render: record({ first: ['key', 'value', 'id', 'scope', 'variable_type'] }),
  next: 'It takes effect with the next deployment of the services that use it.',
});
