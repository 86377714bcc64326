import { operations } from '../../src/contract/index.ts';
import { defineTool, table } from '../../src/server/tool/index.ts';

export const listEnvironmentVariables = defineTool(operations.list_environment_variables, {
  toolset: 'variables',
  description: 'Which env vars does an application have, its own and inherited? With the ids to change or override one. Stored secrets are not listed.',
  render: table('variable', [
    'key', 'value', 'scope', 'variable_type', 'id', 'mount_path', 'description', 'service_name', 'enable_interpolation_in_file',
    'overridden_variable', 'aliased_variable', 'owned_by',
  ]),
});
