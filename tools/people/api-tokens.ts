import * as z from 'zod';
import { operations } from '../../src/contract/index.ts';
import {
  defineTool,
  isRecord,
  notKnown,
  pruneRecord,
  reading,
  readUses,
  record,
  rowsIn,
  show,
  table,
  type JsonRecord,
  type Preview,
} from '../../src/server/tool/index.ts';
import { unlessPast } from '../shared/future-times.ts';
import { joined, sameName } from '../shared/plan-parts.ts';

/** A token in a plan: its name, level and use. */
export const tokenText = ({ name, permission, last_used_at: used, expires_at: expires }: JsonRecord): string =>
  [
    show(name),
    ...(permission === undefined ? [] : [`level ${show(permission)}`]),
    used === undefined || used === null ? 'never used' : `last used ${show(used)}`,
    ...(expires === undefined || expires === null ? [] : [`expires ${show(expires)}`]),
  ].join(', ');

export const listApiTokens = defineTool(operations.list_api_tokens, {
  toolset: 'administration',
  title: 'API tokens: whose, with which rights, last used',
  description: 'List API tokens (keys): who has one, levels, age, when last used. Never values.',
  // Planned, so that scopes and rules about places apply to it.
  expand: (args) => Promise.resolve([{ operation: operations.list_api_tokens, input: args }]),
  answer: (_args, _context, [answer = {}]) =>
    Promise.resolve({
      ...answer,
      results: rowsIn(answer).map(({ is_current: isCurrent, ...row }) => ({
        ...row,
        ...(isCurrent === true && { used_by: 'this session' }),
      })),
    }),
  render: table('API token', [
    'name',
    'permission',
    'member_name',
    'used_by',
    'last_used_at',
    'expires_at',
    'created_at',
    'id',
  ]),
});

/** Whose a new token is. */
const whose: Preview = reading(
  readUses('whose the token is is not shown', operations.list_members),
  async ({ organization_id: organization, member_id: id }, { reader }) => {
    if (id === undefined) return ['It belongs to no member: it stays when somebody is removed.'];
    const members = await reader.attempt(operations.list_members, { organization_id: String(organization) });
    const member = members && rowsIn(members).find((row) => row['id'] === id);
    return [
      member
        ? `It belongs to ${show(member['name'])} (${show(member['email'])}), and ends when they are removed.`
        : notKnown('whose it is; it ends when they are removed'),
    ];
  },
);

export const createApiToken = defineTool(operations.create_api_token, {
  toolset: 'administration',
  title: 'Create or rotate an API token, key',
  description:
    'Create an API token (key) for CI, a bot; a person is shown its value, you are not. To rotate: create, let them replace it, revoke the old.',
  hidden: ['expires_at', 'member_id'],
  expand: unlessPast(operations.create_api_token, 'expires_at'),
  plan: ({ expires_at: end }) => [
    'A person is shown its value once, outside of this conversation. No answer, log or record has it.',
    end === undefined
      ? 'Whoever has it may do what its level permits, until it is revoked: it never expires.'
      : 'Whoever has it may do what its level permits, until it expires or is revoked.',
  ],
  preview: joined(sameName(operations.list_api_tokens, 'an API token'), whose),
  output: operations.create_api_token.response
    .omit({ token: true, is_current: true })
    .extend({ handed_over: z.string() })
    .partial(),
  answer: (_args, _context, [answer = {}]) => Promise.resolve(answer),
  render: record({ first: ['name', 'permission', 'expires_at', 'member_name', 'handed_over', 'id'] }),
  next: 'Tell the user where the value is. What used an old token goes on with it until it is replaced there: then revoke the old one.',
});

const whichToken: Preview = reading(
  readUses('which token that is is not shown', operations.list_api_tokens),
  async ({ api_token_id: id }, { target, reader }) => {
    const rows = rowsIn(await reader.attempt(operations.list_api_tokens, { organization_id: String(target.id) }));
    const token = rows.find((row) => row['id'] === id);
    if (!isRecord(token)) return [notKnown('which token that is, and when it was last used')];
    return [
      { text: `The token: ${tokenText(token)}.`, agreed: show(token['name']) },
      token['member_id'] === undefined
        ? 'It belongs to no member.'
        : `It belongs to ${show(token['member_name'] ?? token['member_id'])}.`,
      ...(token['is_current'] === true
        ? ['This session uses it: everything that it asks for afterwards is refused, until it is given another.']
        : []),
    ];
  },
);

export const revokeApiToken = defineTool(operations.revoke_api_token, {
  toolset: 'administration',
  title: 'Revoke an API token',
  description: 'Revoke an API token (key), such as one that leaked.',
  fields: { api_token_id: 'Name or id.' },
  plan: () => ['Whatever uses the token is refused at once. It can not be brought back: a new one has another value.'],
  preview: whichToken,
  output: z.object({ revoked: z.string() }).partial(),
  answer: (_, { resolved }) => Promise.resolve(pruneRecord({ revoked: resolved['api_token_id']?.name })),
  render: record({ first: ['revoked'] }),
});
