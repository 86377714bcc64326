import type { Selectable } from 'kysely';
import type { PermissionLevel } from '../../../contract/index.ts';
import { invalid, isoNow } from '../../common/index.ts';
import type { Db, MemberTable, RoleTable } from '../../store/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { revokeTokensOf } from './api-tokens.ts';
import { findById, findInOrganization, requireReferences } from './find.ts';
import { rolesById } from './organization.ts';
import { pageOf } from './page.ts';
import { ownedBy, withoutNulls } from './rows.ts';

type LegacyRole = RoleTable['legacy_role'];

/** What a role permits, as the level of a token that permits as much. */
const permissions: Readonly<Record<LegacyRole, PermissionLevel>> = {
  OWNER: 'admin',
  ADMIN: 'admin',
  DEVELOPER: 'write',
  VIEWER: 'read',
};

/**
 * Refuses a change after which the organization has no owner.
 * @throws ApiProblem 400 for the only member whose role is that of owners
 */
async function requireAnotherOwner(
  db: Db,
  { id, name, organization_id, role_id }: Selectable<MemberTable>,
): Promise<void> {
  const roles = await rolesById(db);
  const isOwner = (role: string): boolean => roles.get(role)?.legacy_role === 'OWNER';
  if (!isOwner(role_id)) return;
  const members = await db
    .selectFrom('member')
    .select(['id', 'role_id'])
    .where('organization_id', '=', organization_id)
    .execute();
  if (!members.some((member) => member.id !== id && isOwner(member.role_id)))
    throw invalid('user_id', `${name} (${id}) is the last owner: make another member an owner first`);
}

/** The member that a body names. */
async function memberNamed(
  { db }: RequestContext,
  organizationId: string,
  userId: string,
): Promise<Selectable<MemberTable>> {
  await findById(db, 'organization', organizationId);
  await requireReferences(db, 'member', organizationId, 'user_id', [userId]);
  return findById(db, 'member', userId);
}

export const peopleHandlers = {
  list_roles: async (input, context) =>
    pageOf(await ownedBy(context, 'role', input.organization_id), input, (rows) =>
      rows.map((row) => ({ ...withoutNulls(row), permission: permissions[row.legacy_role] })),
    ),
  // Every role here is the platform's own.
  list_custom_roles: async ({ organization_id }, { db }) => {
    await findById(db, 'organization', organization_id);
    return { results: [] };
  },
  update_member_role: async ({ organization_id, user_id, role_id }, context) => {
    const { db, clock } = context;
    const member = await memberNamed(context, organization_id, user_id);
    await requireReferences(db, 'role', organization_id, 'role_id', [role_id]);
    if ((await findById(db, 'role', role_id)).legacy_role !== 'OWNER') await requireAnotherOwner(db, member);
    await db
      .updateTable('member')
      .set({ role_id, updated_at: isoNow(clock) })
      .where('id', '=', member.id)
      .execute();
    return undefined;
  },
  remove_member: async ({ organization_id, user_id }, context) => {
    const member = await memberNamed(context, organization_id, user_id);
    await requireAnotherOwner(context.db, member);
    await revokeTokensOf(member.id, context);
    await context.db.deleteFrom('member').where('id', '=', member.id).execute();
    return undefined;
  },
  revoke_invitation: async ({ organization_id, invitation_id }, { db }) => {
    const { id } = await findInOrganization(db, 'invitation', organization_id, invitation_id);
    await db.deleteFrom('invitation').where('id', '=', id).execute();
    return undefined;
  },
} satisfies Partial<
  OperationHandlers<'list_roles' | 'list_custom_roles' | 'update_member_role' | 'remove_member' | 'revoke_invitation'>
>;
