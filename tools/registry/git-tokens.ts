import { operations } from '../../src/contract/index.ts';
import { defineTool, partialUpdate, record, show, table, type JsonRecord } from '../../src/server/tool/index.ts';
import { joined } from '../shared/plan-parts.ts';
import { deletionOf, usedBy } from './uses.ts';

const toolset = 'administration';

const reads = { get: operations.get_git_token, uses: operations.list_services_of_git_token };

const columns = ['name', 'type', 'git_api_url', 'expired_at', 'associated_services_count', 'description', 'id'];

export const listGitTokens = defineTool(operations.list_git_tokens, {
  toolset,
  title: 'Tokens for private git repositories',
  description: 'List git tokens for private repositories: host, when each ends (expires), uses.',
  render: table('git token', columns),
});

export const createGitToken = defineTool(operations.create_git_token, {
  toolset,
  title: 'Add a git token',
  description: 'Store a git token for private repositories. Services get it by git_repository: {git_token_id}.',
  fields: { type: 'GITHUB, GITLAB, BITBUCKET …', git_api_url: 'Server of your own.', expired_at: 'When it ends.' },
  hidden: ['description'],
  plan: () => ['Stores this token on the platform. Services that name it read private repositories with it.'],
  render: record({ first: ['name', 'id', 'type', 'expired_at'] }),
});

const update = partialUpdate(operations.update_git_token);

export const updateGitToken = defineTool(operations.update_git_token, {
  toolset,
  title: 'Change or rotate a git token',
  description:
    'Change a git token (access to private repositories): rotate, renew, replace its value; name, end, description, server.',
  ...update,
  plan: () => ['Services that use it read their repositories with it from their next build on.'],
  preview: joined(update.preview, usedBy(reads)),
  hidden: ['type', 'description', 'git_api_url'],
});

const tokenText = ({ name, type, expired_at: end }: JsonRecord): string =>
  `The git token ${show(name)} (${show(type)}${end === undefined ? '' : `, which ends at ${show(end)}`}), whose value can not be read back.`;

export const deleteGitToken = defineTool(operations.delete_git_token, {
  toolset,
  title: 'Remove a git token',
  description: 'Delete a git token that no service uses; dry_run: true tells which do.',
  plan: () => ['It stays valid at the git server until it is revoked there.'],
  preview: deletionOf(
    reads,
    tokenText,
    'Without it their private repositories can not be read: builds and lists of commits fail.',
  ),
  render: record(),
});
