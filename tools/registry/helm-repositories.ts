import { identifyingMembers, operations } from '../../src/contract/index.ts';
import {
  defineTool,
  partialUpdate,
  pick,
  reading,
  readUses,
  record,
  show,
  table,
  type JsonRecord,
  type Preview,
} from '../../src/server/tool/index.ts';
import { joined, movedSecretLines } from '../shared/plan-parts.ts';
import { deletionOf } from './uses.ts';

const helmReads = { get: operations.get_helm_repository, uses: operations.list_services_of_helm_repository };

export const listHelmRepositories = defineTool(operations.list_helm_repositories, {
  toolset: 'administration',
  title: 'Helm chart repositories',
  description: 'List the Helm chart repositories: address, kind, and how many services use each.',
  render: table('Helm repository', ['name', 'kind', 'url', 'associated_services_count', 'description', 'id']),
});

const update = partialUpdate(operations.update_helm_repository);

const idsIn = (args: JsonRecord) =>
  pick(args, identifyingMembers(operations.get_helm_repository)) as {
    organization_id: string;
    helm_repository_id: string;
  };

const secretNames = ['password', 'secret_access_key', 'vendor_secret_key'];

/** Whether stored credentials get another address. */
const movedCredentials: Preview = reading(
  readUses('the plan does not say whether stored credentials get another address', operations.get_helm_repository),
  async (args, { reader }) => {
    const given = secretNames.some((name) => (args['config'] as JsonRecord | undefined)?.[name] !== undefined);
    return movedSecretLines('url', args, await reader.attempt(operations.get_helm_repository, idsIn(args)), !given);
  },
);

export const updateHelmRepository = defineTool(operations.update_helm_repository, {
  toolset: 'administration',
  title: 'Change a Helm chart repository',
  description: 'Change a Helm chart repository: also its description; config for new credentials, such as {password}.',
  ...update,
  preview: joined(update.preview, movedCredentials),
  hidden: ['kind', 'skip_tls_verification', 'description'],
  folded: ['config'],
});

const repositoryText = ({ name, kind, url }: JsonRecord): string =>
  `The Helm repository ${show(name)} (${show(kind)}${url === undefined ? '' : `, ${show(url)}`}), with its credentials, which can not be read back.`;

export const deleteHelmRepository = defineTool(operations.delete_helm_repository, {
  toolset: 'administration',
  title: 'Remove a Helm chart repository',
  description: 'Delete a Helm chart repository that no service uses any more; dry_run: true lists those that do.',
  preview: deletionOf(helmReads, repositoryText),
  render: record(),
});
