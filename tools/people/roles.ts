import * as z from 'zod';
import { operations } from '../../src/contract/index.ts';
import {
  defineTool,
  organizationOf,
  pruneRecord,
  readUses,
  recordsIn,
  rowsIn,
  show,
  table,
  textOf,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';

/** What a permission level lets people do. */
const permits: Readonly<Record<string, string>> = {
  read: 'sees everything',
  deploy: 'sees everything; deploys, stops and restarts',
  write:
    'sees everything; creates and changes what runs, with its variables and alerts; deletes no service or environment',
  admin: 'everything: deletes services and environments, manages members, tokens, webhooks, billing and clusters',
};

const customText = (custom: JsonRecord): string =>
  [
    ...recordsIn(custom['cluster_permissions']).map(
      (each) => `cluster ${show(each['cluster_name'] ?? each['cluster_id'])}: ${show(each['permission'])}`,
    ),
    ...recordsIn(custom['project_permissions']).map((each) => {
      const modes = recordsIn(each['permissions']).map(
        (one) => `${show(one['environment_type'])} ${show(one['permission'])}`,
      );
      return `project ${show(each['project_name'] ?? each['project_id'])}: ${each['is_admin'] === true ? 'admin' : modes.join(', ')}`;
    }),
  ].join('; ');

/** What a role permits, in words; undefined if the platform doesn't tell. */
function mayText(row: JsonRecord, custom: JsonRecord | undefined): string | undefined {
  const known = permits[String(row['permission'])];
  if (known !== undefined) return known;
  const text = custom === undefined ? '' : customText(custom);
  return text === '' ? undefined : text;
}

export const listRoles = defineTool(operations.list_roles, {
  toolset: 'administration',
  title: 'Roles and permissions: what each may do',
  description: 'List roles and what each permits: rights of a viewer, developer, admin.',
  reads: readUses('what a role permits is only shown as far as its row tells', operations.list_custom_roles),
  output: operations.list_roles.response.extend({
    results: z.array(z.object({ id: z.string(), name: z.string(), may: z.string().optional() })),
  }),
  answer: async (args, context) => {
    const answer = await context.read(operations.list_roles, args as { organization_id: string });
    const rows = rowsIn(answer);
    const organization = textOf(args, 'organization_id') ?? (await organizationOf(context));
    const custom =
      organization !== undefined && rows.some((row) => permits[String(row['permission'])] === undefined)
        ? rowsIn(await context.attempt(operations.list_custom_roles, { organization_id: organization }))
        : [];
    const may = (row: JsonRecord) =>
      mayText(
        row,
        custom.find(({ id }) => id === row['id']),
      );
    return { ...answer, results: rows.map((row) => pruneRecord({ ...row, may: may(row) })) };
  },
  render: table('role', ['name', 'may', 'description', 'id']),
});

export const roleReads = readUses(
  'what the new role permits is not shown',
  operations.list_roles,
  operations.list_custom_roles,
);

/** The role that a change gives, with what it permits. */
export async function roleGiven(id: unknown, where: { organization_id: string }, reader: Pick<ToolContext, 'attempt'>) {
  const row = rowsIn(await reader.attempt(operations.list_roles, where)).find((one) => one['id'] === id);
  if (!row) return undefined;
  const custom =
    row['permission'] === undefined ? rowsIn(await reader.attempt(operations.list_custom_roles, where)) : [];
  return {
    row,
    may: mayText(
      row,
      custom.find((one) => one['id'] === id),
    ),
  };
}
