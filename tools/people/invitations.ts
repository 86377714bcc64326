import * as z from 'zod';
import { operations, reference } from '../../src/contract/index.ts';
import {
  composeTool,
  defineTool,
  naming,
  notKnown,
  omit,
  organizationOf,
  pruneRecord,
  reading,
  readUses,
  record,
  rowsIn,
  show,
  table,
  textOf,
  toldOnce,
  type JsonRecord,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';

export const listInvitations = defineTool(operations.list_invitations, {
  toolset: 'administration',
  title: 'Invitations that were sent, pending or expired',
  description: 'List invitations (invites) that nobody accepted yet: pending (has not joined), expired; role, by whom.',
  render: table('invitation', ['email', 'invitation_status', 'role_name', 'inviter', 'created_at', 'id']),
});

const invitationReads = readUses('whose invitation that is is not shown', operations.list_invitations);

const invitationWith = async (
  id: unknown,
  organization: unknown,
  reader: Pick<ToolContext, 'attempt'>,
): Promise<JsonRecord | undefined> => {
  const where = { organization_id: String(organization) };
  return rowsIn(await reader.attempt(operations.list_invitations, where)).find((row) => row['id'] === id);
};

const invitationText = ({ email, role_name: role, invitation_status: status }: JsonRecord): string =>
  `${show(email)}${role === undefined ? '' : `, role ${show(role)}`}, ${show(status)}`;

const whoseInvitation: Preview = reading(invitationReads, async ({ invitation_id: id }, { target, reader }) => {
  const invitation = id === undefined ? undefined : await invitationWith(id, target.id, reader);
  return id === undefined
    ? []
    : [invitation ? `Invitation of ${invitationText(invitation)}.` : notKnown('whose it is')];
});

export const revokeInvitation = defineTool(operations.revoke_invitation, {
  toolset: 'administration',
  title: 'Take an invitation back',
  description: 'Revoke, cancel, withdraw or take back an invitation (invite) that nobody accepted yet.',
  fields: { invitation_id: 'E-mail or id.' },
  plan: () => ['Its link no longer works. The address can be invited again.'],
  preview: whoseInvitation,
  output: z.object({ revoked: z.string() }).partial(),
  answer: (_, { resolved }) => Promise.resolve(pruneRecord({ revoked: resolved['invitation_id']?.name })),
  render: record({ first: ['revoked'] }),
});

const sentAgain: Preview = reading(invitationReads, async (args, context) => [
  toldOnce('The old link no longer works; a new one is sent to the same address.'),
  ...(await whoseInvitation(args, context)),
]);

export const resendInvitation = composeTool({
  name: 'resend_invitation',
  toolset: 'administration',
  title: 'Send an invitation once more',
  description: 'Send an invitation again (resend): lost, pending or expired, in the same role.',
  input: { invitation: reference('invitation').describe('E-mail or id.') },
  operations: [operations.revoke_invitation, operations.invite_member],
  expand: async ({ invitation }, context) => {
    const organization_id = await organizationOf(context);
    const found =
      organization_id === undefined ? undefined : await invitationWith(invitation, organization_id, context);
    const email = textOf(found, 'email');
    if (organization_id === undefined || email === undefined)
      return context.refuse(
        `no invitation with the id ${invitation} can be read here, so its address is not known`,
        naming`Invite the address again with ${'invite_member'}.`,
      );
    const [role_id, role] = [textOf(found, 'role_id'), textOf(found, 'role')];
    return [
      {
        operation: operations.revoke_invitation,
        input: { organization_id, invitation_id: invitation },
        about: 'the old invitation',
      },
      {
        operation: operations.invite_member,
        input: { organization_id, email, ...(role_id === undefined ? role && { role } : { role_id }) },
        about: 'the new invitation',
      },
    ];
  },
  preview: sentAgain,
  reads: readUses(
    'an invitation is sent again by its address only',
    operations.list_invitations,
    operations.get_organization,
  ),
  output: z
    .object({ email: z.string(), id: z.string(), invitation_status: z.string(), role_name: z.string() })
    .partial(),
  answer: async (_, __, answers) => omit(answers.at(-1) ?? {}, ['invitation_link', 'logo_url']),
  render: record({
    first: ['email', 'invitation_status', 'role_name', 'id'],
    omitted: ['logo_url', 'invitation_link'],
  }),
});
