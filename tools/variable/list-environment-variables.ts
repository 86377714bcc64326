import { operations } from '../../src/contract/index.ts';
import { defineTool, table } from '../../src/server/tool/index.ts';

export const listEnvironmentVariables = defineTool(operations.list_environment_variables, {
  toolset: 'variables',
  description:
    "See all env vars that an application runs with, of every scope it inherits: its own, the environment's, the project's, " +
    'built-in ones. Shows the ids that changing or overriding one needs. Stored secrets are not listed.',
  render: table('variable', [
    'key', 'value', 'scope', 'variable_type', 'id', 'mount_path', 'description', 'service_name', 'enable_interpolation_in_file',
    'overridden_variable', 'aliased_variable', 'owned_by',
  ]),
});
