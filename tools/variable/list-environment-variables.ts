import * as z from 'zod';
import { maximumPageSize, PageNumber, PageSize, reference } from '../../src/contract/index.ts';
import { anyOf, anyService, composeTool, table, type JsonRecord } from '../../src/server/tool/index.ts';
import { oneOf } from '../shared/any-service.ts';
import { ownedVariableReads, ownerIn, seenBy, variableLists } from '../shared/owned-variables.ts';

const columns = [
  'key',
  'value',
  'is_secret',
  'scope',
  'variable_type',
  'id',
  'mount_path',
  'description',
  'service_name',
  'enable_interpolation_in_file',
  'overridden_variable',
  'aliased_variable',
  'owned_by',
];

/**
 * A secret as a row next to variables. Anything that a platform shows of its value, including linked values, is left
 * out.
 */
const secretRow = ({
  value: _value,
  overridden_variable: _overridden,
  aliased_variable: _aliased,
  ...row
}: JsonRecord): JsonRecord => ({ ...row, is_secret: true });

/** A page of rows, or all of them if no page is requested. */
function paged(rows: readonly JsonRecord[], page: number | undefined, size: number | undefined): JsonRecord {
  if (page === undefined && size === undefined) return { results: rows };
  const [number, length] = [page ?? 1, size ?? maximumPageSize];
  return {
    results: rows.slice((number - 1) * length, number * length),
    pagination: {
      page: number,
      page_size: length,
      total_count: rows.length,
      total_pages: Math.ceil(rows.length / length),
    },
  };
}

export const listEnvironmentVariables = composeTool({
  name: 'list_environment_variables',
  toolset: 'variables',
  title: 'List variables: what each is set to, config values',
  description:
    'Which env vars and secrets does a service, environment or project have, own and inherited? With ids; of secrets no values.',
  input: {
    service: anyService().optional(),
    environment: reference('environment').optional(),
    project: reference('project').optional(),
    page: PageNumber.optional(),
    page_size: PageSize.optional(),
  },
  rules: oneOf('service', 'environment', 'project'),
  operations: variableLists('variables'),
  equivalentOperations: [...variableLists('variables'), ...variableLists('secrets')],
  reads: [...anyOf(...ownedVariableReads('variables')), ...ownedVariableReads('secrets')],
  output: z.object({
    results: z.array(
      z.object({
        id: z.string(),
        key: z.string(),
        value: z.string(),
        is_secret: z.boolean(),
        scope: z.string(),
        variable_type: z.string(),
        mount_path: z.string(),
        description: z.string(),
        service_name: z.string(),
        overridden_variable: z.object({}),
        aliased_variable: z.object({}),
        owned_by: z.string(),
      }),
    ),
    pagination: z.object({}),
  }),
  answer: async ({ page, page_size }, context) => {
    const { kind, id } = ownerIn(context, 'listed', 'service', 'environment', 'project');
    const { variables, secrets = [] } = await seenBy(kind, id, context);
    if (!variables)
      return context.refuse(
        `the variables of this ${kind} can't be read here`,
        'Ask whoever runs the platform which there are.',
      );
    return paged([...variables, ...secrets.map(secretRow)], page, page_size);
  },
  render: table('variable', columns),
});
