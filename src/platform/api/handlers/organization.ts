import type { Selectable } from 'kysely';
import type { Db, InvitationTable, RoleTable } from '../../store/index.ts';
import { addDays, invalid, isoNow } from '../../common/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { findById } from './find.ts';
import { pageOf } from './page.ts';
import { ownedBy, withoutNulls } from './rows.ts';

/** How long an invitation is valid, in days. */
const invitationDays = 7;

/** The roles, by id. */
export const rolesById = async (db: Db): Promise<ReadonlyMap<string, Selectable<RoleTable>>> =>
  new Map((await db.selectFrom('role').selectAll().execute()).map((role) => [role.id, role]));

const invitationAnswer = (
  row: Selectable<InvitationTable>,
  role: Selectable<RoleTable>,
  organizationName: string,
  now: string,
) => ({
  ...row,
  role: role.legacy_role,
  role_name: role.name,
  invitation_link: `https://console.invalid/invitations/${row.id}`,
  invitation_status: row.expires_at > now ? ('PENDING' as const) : ('EXPIRED' as const),
  organization_name: organizationName,
  logo_url: 'https://console.invalid/logo.png',
});

/** The role of an invitation. `role_id` takes precedence over the deprecated `role`; the default is the lowest role. */
const requestedRole = async (
  db: Db,
  organizationId: string,
  input: { role_id?: string | undefined; role?: string | undefined },
) => {
  const roles = db.selectFrom('role').selectAll().where('organization_id', '=', organizationId);
  const found = input.role_id
    ? await roles.where('id', '=', input.role_id).executeTakeFirst()
    : await roles
        .where('legacy_role', '=', (input.role ?? 'VIEWER') as 'VIEWER')
        .orderBy('created_at')
        .orderBy('id')
        .executeTakeFirst();
  if (!found)
    throw invalid(
      input.role_id ? 'role_id' : 'role',
      `no role has the ${input.role_id ? `id ${input.role_id}` : `name ${input.role}`}`,
    );
  return found;
};

const requireNewEmail = async ({ db, clock }: RequestContext, organizationId: string, email: string): Promise<void> => {
  const member = await db
    .selectFrom('member')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where(db.sql.sameIgnoringCase('email', email))
    .executeTakeFirst();
  if (member) throw invalid('email', `${email} is a member already (${member.id})`);
  const pending = await db
    .selectFrom('invitation')
    .select(['id', 'expires_at'])
    .where('organization_id', '=', organizationId)
    .where(db.sql.sameIgnoringCase('email', email))
    .where('expires_at', '>', isoNow(clock))
    .executeTakeFirst();
  if (pending) throw invalid('email', `${email} is invited already (${pending.id}), until ${pending.expires_at}`);
};

const emptyBilling = {
  first_name: null,
  last_name: null,
  email: null,
  address: null,
  city: null,
  zip: null,
  country_code: null,
  state: null,
  company: null,
  vat_number: null,
};

export const organizationHandlers = {
  get_organization: async (_, { db }) => {
    const organization = withoutNulls(
      await db.selectFrom('organization').selectAll().orderBy('created_at').executeTakeFirstOrThrow(),
    );
    return { ...organization, results: [organization] };
  },
  list_members: async (input, context) => {
    const roles = await rolesById(context.db);
    return pageOf(await ownedBy(context, 'member', input.organization_id), input, (rows) =>
      rows.map((row) => ({
        ...row,
        role: roles.get(row.role_id)!.legacy_role,
        role_name: roles.get(row.role_id)!.name,
      })),
    );
  },
  invite_member: async (input, context) => {
    const { db, clock, random, principal } = context;
    const organization = await findById(db, 'organization', input.organization_id);
    const role = await requestedRole(db, organization.id, input);
    await requireNewEmail(context, organization.id, input.email);
    const now = clock.now();
    const invitation = await db
      .insertInto('invitation')
      .values({
        id: random.uuid(),
        created_at: isoNow(clock),
        updated_at: isoNow(clock),
        organization_id: organization.id,
        email: input.email,
        role_id: role.id,
        inviter: principal.name,
        expires_at: new Date(addDays(now, invitationDays)).toISOString(),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return invitationAnswer(invitation, role, organization.name, isoNow(clock));
  },
  list_invitations: async (input, context) => {
    const { db, clock } = context;
    const organization = await findById(db, 'organization', input.organization_id);
    const roles = await rolesById(db);
    return pageOf(await ownedBy(context, 'invitation', organization.id), input, (rows) =>
      rows.map((row) => invitationAnswer(row, roles.get(row.role_id)!, organization.name, isoNow(clock))),
    );
  },
  get_billing_info: async ({ organization_id }, { db }) => {
    await findById(db, 'organization', organization_id);
    return (
      (await db
        .selectFrom('billing_info')
        .selectAll()
        .where('organization_id', '=', organization_id)
        .executeTakeFirst()) ?? emptyBilling
    );
  },
  update_billing_info: async (input, { db }) => {
    await findById(db, 'organization', input.organization_id);
    const row = { ...emptyBilling, ...input };
    await db
      .insertInto('billing_info')
      .values(row)
      .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(row))
      .execute();
    return row;
  },
} satisfies Partial<
  OperationHandlers<
    | 'get_organization'
    | 'list_members'
    | 'invite_member'
    | 'list_invitations'
    | 'get_billing_info'
    | 'update_billing_info'
  >
>;
