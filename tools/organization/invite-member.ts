import * as z from 'zod';
import { operations } from '../../src/contract/index.ts';
import { defineTool, alreadyMember, omit, record, role } from '../../src/server/tool/index.ts';

export const inviteMember = defineTool(operations.invite_member, {
  toolset: 'organization',
  title: 'Send an invitation by e-mail',
  description:
    'Invite a new colleague or teammate: add someone to the organization by e-mail, give them access as a developer or in another role. Sends ' +
    'the invitation.',
  fields: { role_id: 'Role to give; default VIEWER.' },
  hidden: ['role'],
  input: { show_link: z.boolean().optional().describe('Show the link, too: whoever has it can join.') },
  answer: async ({ show_link }, _, [answer = {}]) => (show_link === true ? answer : omit(answer, ['invitation_link'])),
  plan: () => ['Gives this person access to the organization.'],
  preview: role,
  noOpCheck: alreadyMember,
  render: record({ first: ['email', 'invitation_status', 'role_name', 'id'], omitted: ['logo_url'] }),
});
