import * as z from 'zod';
import { operations } from '../../src/contract/index.ts';
import {
  defineTool,
  record,
  partialUpdate,
  naming,
  table,
  alreadyMember,
  omit,
  role,
} from '../../src/server/tool/index.ts';

export const getOrganization = defineTool(operations.get_organization, {
  toolset: 'organization',
  title: 'Which organization this is',
  description:
    'Which organization (company, account) is this? Its name, plan, owner and id. No other tool has to be given the id.',
  render: record({ omitted: ['results', 'icon_uri'] }),
});

export const listMembers = defineTool(operations.list_members, {
  toolset: 'organization',
  title: 'List members: who has access, which rights',
  description: [
    'Who has access, and who are the admins? The team members (users) of the organization with their roles (permissions), and when they were ' +
      'last active.',
    naming`Shows the roles that ${'invite_member'} takes.`,
  ],
  render: table('member', ['name', 'email', 'role_name', 'role_id', 'role', 'last_activity_at', 'nickname', 'id']),
});

export const inviteMember = defineTool(operations.invite_member, {
  toolset: 'organization',
  title: 'Send an invitation by e-mail',
  description:
    'Invite a new colleague or teammate: add someone to the organization by e-mail, give them access as a developer or in another role. Sends ' +
    'the invitation.',
  fields: { role_id: 'Default: Viewer.' },
  // The deprecated member has the plain name of the other, which takes the same names.
  input: {
    role: undefined,
    show_link: z.boolean().optional().describe('Show the link, too: whoever has it can join.'),
  },
  answer: async ({ show_link }, _, [answer = {}]) => (show_link === true ? answer : omit(answer, ['invitation_link'])),
  plan: () => ['Gives this person access to the organization.'],
  preview: role,
  noOpCheck: alreadyMember,
  render: record({ first: ['email', 'invitation_status', 'role_name', 'id'], omitted: ['logo_url'] }),
});

export const getLabelsGroup = defineTool(operations.get_labels_group, {
  toolset: 'organization',
  title: 'Labels of services',
  description:
    'The labels (tags) that services carry: keys and values of a labels group, and whether cloud resources get them, too.',
  fields: { labels_group_id: 'Services show theirs in labels_groups.' },
  render: record(),
});

export const updateBillingInfo = defineTool(operations.update_billing_info, {
  toolset: 'organization',
  title: 'Change the invoice address',
  description:
    'Change billing details: the address, company name, e-mail or VAT number on the invoice.',
  ...partialUpdate(operations.update_billing_info),
});
