import { operations } from '../../src/contract/index.ts';
import { defineTool, alreadyMember, record, role } from '../../src/server/tool/index.ts';

export const inviteMember = defineTool(operations.invite_member, {
  toolset: 'organization',
  description: 'Invite someone to the organization by e-mail and give them a role. Sends the e-mail.',
  fields: { role_id: 'Role to give; default VIEWER.' },
  hidden: ['role'],
  plan: () => ['Gives this person access to the organization.'],
  preview: role,
  noOpCheck: alreadyMember,
  render: record({ first: ['email', 'invitation_status', 'role_name', 'id'], omitted: ['logo_url'] }),
});
