import * as z from 'zod';
import { operations } from '../../src/contract/index.ts';
import {
  defineTool,
  organizationOf,
  pruneRecord,
  readUses,
  rowsIn,
  table,
  textOf,
} from '../../src/server/tool/index.ts';
import { withRights } from '../shared/role-rights.ts';

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
    const organization = textOf(args, 'organization_id') ?? (await organizationOf(context));
    const roles = await withRights(rowsIn(answer), organization, context);
    return { ...answer, results: roles.map(({ row, may }) => pruneRecord({ ...row, may })) };
  },
  render: table('role', ['name', 'may', 'description', 'id']),
});
