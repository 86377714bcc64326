import * as z from 'zod';
import { operations } from '../../src/contract/index.ts';
import {
  defineTool,
  pruneRecord,
  naming,
  notKnown,
  reading,
  readUses,
  record,
  rowsIn,
  show,
  type JsonRecord,
  type NoOpCheck,
  type Preview,
  textOf,
  lockText,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { joined } from '../shared/plan-parts.ts';
import { rightsLine, roleGiven, roleReads } from '../shared/role-rights.ts';
import { tokenText } from './api-tokens.ts';

type Reads = Pick<ToolContext, 'attempt'>;

const memberReads = readUses('who that is is not shown', operations.list_members);

/** The members of an organization; undefined if they can't be read. */
const membersOf = async (organization: unknown, reader: Reads): Promise<readonly JsonRecord[] | undefined> => {
  const list = await reader.attempt(operations.list_members, { organization_id: String(organization) });
  return list && rowsIn(list);
};

const memberWith = async (id: unknown, organization: unknown, reader: Reads): Promise<JsonRecord | undefined> =>
  (await membersOf(organization, reader))?.find((row) => row['id'] === id);

const personText = ({ name, email, role_name: role }: JsonRecord): string =>
  `${show(name)} (${show(email)}), role ${show(role)}`;

const isOwner = ({ role }: JsonRecord): boolean => role === 'OWNER';

/** Refuses what would leave the organization without an owner, before anybody is asked. */
async function refuseForLastOwner({ user_id: user, organization_id: id }: JsonRecord, context: ToolContext) {
  const members = (await membersOf(id, context)) ?? [];
  const owner = members.find((row) => row['id'] === user && isOwner(row));
  if (owner && !members.some((row) => row !== owner && isOwner(row)))
    context.refuse(
      'this member is the last owner, and the organization would be left without one',
      naming`Make another member an owner first, with ${'update_member_role'}.`,
      personText(owner),
    );
}

const newRole: Preview = reading(
  () => [...memberReads, ...roleReads('what the new role permits is not shown')],
  async ({ user_id: user, role_id: role }, { target, reader }) => {
    const [member, given] = [
      await memberWith(user, target.id, reader),
      await roleGiven(role, String(target.id), reader),
    ];
    return [
      member ? `Whom: ${personText(member)}.` : notKnown('who that is, and which role they have now'),
      given ? `New role: ${show(given.row['name'])}.` : notKnown('which role this is'),
      rightsLine(given),
    ];
  },
);

/** Whether the member has the role already. */
const hasRole: NoOpCheck = reading(memberReads, async ({ user_id: user, role_id: role }, { target, reader }) => {
  const member = await memberWith(user, target.id, reader);
  return member !== undefined && member['role_id'] === role
    ? { why: 'this member has that role already', seen: [`${personText(member)}.`] }
    : undefined;
});

export const updateMemberRole = defineTool(operations.update_member_role, {
  toolset: 'administration',
  title: 'Give a member another role',
  description: 'Change a role (rights) of a member: make somebody admin, developer, viewer (read only).',
  expand: async (args, context) => {
    const { row } = (await roleGiven(args['role_id'], String(args['organization_id']), context)) ?? {};
    if (row !== undefined && !/owner/i.test(String(row['name']))) await refuseForLastOwner(args, context);
    return [{ operation: operations.update_member_role, input: args }];
  },
  plan: () => ['The role decides what this person may do from then on. API tokens have levels of their own.'],
  preview: newRole,
  noOpCheck: hasRole,
  output: z.object({ member: z.string(), role: z.string() }).partial(),
  answer: (_, { resolved }) =>
    Promise.resolve(pruneRecord({ member: resolved['user_id']?.name, role: resolved['role_id']?.name })),
  render: record({ first: ['member', 'role'] }),
});

/** What ends with a membership: the API tokens of the member. */
const tokensThatEnd: Preview = reading(
  readUses('the tokens that end with it are not shown', operations.list_api_tokens),
  async ({ user_id: user }, { target, reader }) => {
    const list = await reader.attempt(operations.list_api_tokens, { organization_id: String(target.id) });
    if (!list) return [notKnown('which API tokens are theirs, and whether they end with it')];
    const theirs = rowsIn(list).filter((row) => row['member_id'] === user);
    return theirs.length === 0
      ? ['No API token is theirs: none ends with it. Tokens that belong to nobody may still be known to them.']
      : theirs.map((token) => ({
          text: `Ends with it: the API token ${tokenText(token)}.`,
          agreed: show(token['id']),
        }));
  },
);

const whoGoes: Preview = reading(memberReads, async ({ user_id: user }, { target, reader }) => {
  const member = await memberWith(user, target.id, reader);
  if (!member) return [notKnown('who that is')];
  const seen = member['last_activity_at'];
  return [
    `Who goes: ${personText(member)}.`,
    ...(typeof seen === 'string' ? [{ text: `Last active: ${show(seen)}.`, agreed: '' }] : []),
  ];
});

/** The locks and deployment windows of a member, which go on without them. */
const whatTheyLeave: Preview = reading(
  [
    ...memberReads,
    ...readUses(
      'the locks and deployment windows that they leave are not shown',
      operations.list_cluster_locks,
      operations.list_deployment_windows,
    ),
  ],
  async ({ user_id: user }, { target, reader }) => {
    const where = { organization_id: String(target.id) };
    const [member, locks, windows] = await Promise.all([
      memberWith(user, target.id, reader),
      reader.attempt(operations.list_cluster_locks, where),
      reader.attempt(operations.list_deployment_windows, where),
    ]);
    const name = textOf(member, 'name');
    if (name === undefined) return [];
    const theirs = (list: JsonRecord | undefined) => rowsIn(list).filter((row) => row['owner_name'] === name);
    return [
      ...(locks ? [] : [notKnown('which locks of clusters are theirs')]),
      ...theirs(locks).map((lock) => `Stays: ${lockText(lock, show)}`),
      ...theirs(windows).map((window) => `Stays: their deployment window ${show(window['name'])}.`),
    ];
  },
);

export const removeMember = defineTool(operations.remove_member, {
  toolset: 'administration',
  title: 'Remove somebody who left',
  description:
    'Remove a member (user, leaver, colleague who leaves): lock out, take away access; their API tokens end.',
  expand: async (args, context) => {
    await refuseForLastOwner(args, context);
    return [{ operation: operations.remove_member, input: args }];
  },
  plan: () => [
    'Their access to the organization ends at once. What they made stays.',
    'They can be invited again; tokens that end can not be brought back.',
  ],
  preview: joined(whoGoes, tokensThatEnd, whatTheyLeave),
  output: z.object({ removed: z.string() }).partial(),
  answer: (_, { resolved }) => Promise.resolve(pruneRecord({ removed: resolved['user_id']?.name })),
  render: record({ first: ['removed'] }),
});
