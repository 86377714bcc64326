import * as z from 'zod';
import { InvitationStatus, operations, type InputOf } from '../../src/contract/index.ts';
import {
  defineTool,
  record,
  partialUpdate,
  table,
  alreadyMember,
  omit,
  pick,
  pruneRecord,
  readUses,
  recordsIn,
  rowsIn,
  show,
  type JsonRecord,
  type Renderer,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { ifPossible } from '../shared/if-possible.ts';
import { takenBackBy } from '../shared/plan-parts.ts';
import { invitedRole, roleReads, rolesWith } from '../shared/role-rights.ts';

export const getOrganization = defineTool(operations.get_organization, {
  toolset: 'organization',
  title: 'Organization: company account, plan, owner',
  description: 'Show an organization (company, account): its name, plan, owner, id.',
  render: record({ omitted: ['results', 'icon_uri'] }),
});

/** What the roles permit that these people have; without it if that can't be read. */
async function rightsOf(
  people: readonly JsonRecord[],
  organization: string,
  context: ToolContext,
): Promise<JsonRecord> {
  const held = new Set(people.flatMap((row) => [row['role_id'], row['role_name']]));
  const roles = await ifPossible(context, 'What the roles permit', () =>
    rolesWith((row) => held.has(row['id']) || held.has(row['name']), organization, context),
  );
  return roles ? { roles: roles.map(({ row, may }) => pruneRecord({ name: row['name'], may })) } : {};
}

/** The members and, with the first page of them, whose invitation is pending and what their roles permit. */
async function withInvitations(
  args: InputOf<typeof operations.list_members>,
  context: ToolContext,
): Promise<JsonRecord> {
  const answer = await context.read(operations.list_members, args);
  if ((args.page ?? 1) > 1) return answer;
  const invitations = await ifPossible(context, 'Who is invited', () =>
    context.attempt(operations.list_invitations, { organization_id: args.organization_id }),
  );
  const pending = rowsIn(invitations).filter((row) => row['invitation_status'] === InvitationStatus.enum.PENDING);
  return {
    ...answer,
    ...(pending.length > 0 && { invitations: pending.map((row) => pruneRecord(pick(row, invitationColumns))) }),
    ...(await rightsOf([...rowsIn(answer), ...pending], args.organization_id, context)),
  };
}

const invitationColumns = ['email', 'role_name', 'id'];

const showingInvitations = (members: Renderer): Renderer => ({
  ...members,
  view: (answer) => ({ ...members.view(answer), ...pick(answer, ['invitations', 'roles']) }),
  text: (view) =>
    [
      members.text(view),
      ...recordsIn(view['invitations']).map(
        (row) => `Invited, not joined yet: ${show(row['email'])} as ${show(row['role_name'])} (id ${show(row['id'])})`,
      ),
      ...recordsIn(view['roles']).map((row) =>
        row['may'] === undefined
          ? `What ${show(row['name'])} permits is not shown by the platform.`
          : `${show(row['name'])} permits: ${show(row['may'])}.`,
      ),
    ].join('\n'),
  ...(members.only && { only: (columns: readonly string[]) => showingInvitations(members.only!(columns)) }),
});

export const listMembers = defineTool(operations.list_members, {
  toolset: 'organization',
  title: 'Show people: each user, access rights',
  description:
    'Who can access: each member (user, colleague, admin) of an organization, team: role (user, admin), rights, ' +
    'permissions, e-mail, last active.',
  reads: [
    ...readUses('who is invited is not shown', operations.list_invitations),
    ...roleReads('what the roles permit is not shown'),
  ],
  output: operations.list_members.response.extend({
    invitations: z.array(z.object({ email: z.string(), role_name: z.string(), id: z.string() }).partial()).optional(),
  }),
  answer: (args, context) => withInvitations(args as InputOf<typeof operations.list_members>, context),
  render: showingInvitations(
    table('member', ['name', 'email', 'role_name', 'role_id', 'role', 'last_activity_at', 'nickname', 'id']),
  ),
});

export const inviteMember = defineTool(operations.invite_member, {
  toolset: 'organization',
  title: 'Send an invitation, let a new person in',
  description:
    'Invite or add a colleague, teammate, user: give somebody access in a role (developer, viewer, admin). Sends ' +
    'an e-mail.',
  fields: { role_id: 'Default: Viewer.' },
  // The deprecated member has the plain name of the other, which takes the same names.
  input: { role: undefined, show_link: z.boolean().optional().describe('Its link too; whoever holds one joins.') },
  answer: async ({ show_link }, _, [answer = {}]) => (show_link === true ? answer : omit(answer, ['invitation_link'])),
  plan: () => [takenBackBy('revoke_invitation'), 'Gives this person access to the organization.'],
  preview: invitedRole,
  noOpCheck: alreadyMember,
  render: record({ first: ['email', 'invitation_status', 'role_name', 'id'], omitted: ['logo_url'] }),
});

export const getLabelsGroup = defineTool(operations.get_labels_group, {
  toolset: 'organization',
  title: 'Labels of services',
  description: 'Labels (tags) of services: keys, values of a labels group.',
  fields: { labels_group_id: 'Services show theirs in labels_groups.' },
  render: record(),
});

export const updateBillingInfo = defineTool(operations.update_billing_info, {
  toolset: 'organization',
  title: 'Change invoice address',
  description: 'Change billing details of invoices (bills): address, company, e-mail, VAT (tax) number.',
  ...partialUpdate(operations.update_billing_info),
});
