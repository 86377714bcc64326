import { operations } from '../../src/contract/index.ts';
import { defineTool, override, record } from '../../src/server/tool/index.ts';

export const overrideEnvironmentVariable = defineTool(operations.override_environment_variable, {
  toolset: 'variables',
  description: 'Use another value of an inherited variable only for this one container: override it. For others it stays as it is.',
  preview: override,
  render: record({ first: ['key', 'value', 'id', 'scope', 'variable_type'] }),
  next: "It takes effect with the container's next deployment.",
});
