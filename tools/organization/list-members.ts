import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, table } from '../../src/server/tool/index.ts';

export const listMembers = defineTool(operations.list_members, {
  toolset: 'organization',
  title: 'List members: who has access, which rights',
  description: [
    'Who has access, and who are the admins? The team members (users) of the organization with their roles (permissions), and when they were ' +
      'last active.',
    naming`Shows the role ids that ${'invite_member'} takes.`,
  ],
  render: table('member', ['name', 'email', 'role_name', 'role_id', 'role', 'last_activity_at', 'nickname', 'id']),
});
