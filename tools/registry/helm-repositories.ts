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
import { deletionOf } from './uses.ts';

const helmReads = { get: operations.get_helm_repository, uses: operations.list_services_of_helm_repository };

export const listHelmRepositories = defineTool(operations.list_helm_repositories, {
  toolset: 'administration',
  title: 'Helm chart repositories',
  description: 'List the Helm chart repositories: address, kind, and how many services use each.',
  render: table('Helm repository', ['name', 'kind', 'url', 'associated_services_count', 'description', 'id']),
});

const update = partialUpdate(operations.update_helm_repository);

/** The line for stored credentials that another address would get. */
export const credentialsMove = (
  { url, config }: JsonRecord,
  present: JsonRecord | undefined,
  secrets: readonly string[],
): readonly string[] =>
  present !== undefined &&
  url !== undefined &&
  url !== present['url'] &&
  !secrets.some((name) => (config as JsonRecord | undefined)?.[name] !== undefined)
    ? [
        'Where the platform keeps stored credentials, they are sent to the new address from now on: give others if that may not have them.',
      ]
    : [];

const idsIn = (args: JsonRecord) =>
  pick(args, identifyingMembers(operations.get_helm_repository)) as {
    organization_id: string;
    helm_repository_id: string;
  };

const changed: Preview = reading(
  (planned) => [
    ...(update.preview.reads?.(planned) ?? []),
    ...readUses('the plan does not say whether stored credentials get another address', operations.get_helm_repository),
  ],
  async (args, context) => [
    ...(await update.preview(args, context)),
    ...credentialsMove(args, await context.reader.attempt(operations.get_helm_repository, idsIn(args)), [
      'password',
      'secret_access_key',
      'vendor_secret_key',
    ]),
  ],
);

export const updateHelmRepository = defineTool(operations.update_helm_repository, {
  toolset: 'administration',
  title: 'Change a Helm chart repository',
  description: 'Change a Helm chart repository: also its description; config for new credentials, such as {password}.',
  ...update,
  preview: changed,
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
