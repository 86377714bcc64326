import { operations } from '../../src/contract/index.ts';
import { defineTool, partialUpdate, record, show, table, type JsonRecord } from '../../src/server/tool/index.ts';
import { joined } from '../shared/plan-parts.ts';
import { movedCredentials } from './credentials.ts';
import { deletionOf } from './uses.ts';

const helmReads = { get: operations.get_helm_repository, uses: operations.list_services_of_helm_repository };

export const listHelmRepositories = defineTool(operations.list_helm_repositories, {
  toolset: 'administration',
  title: 'Helm chart repositories',
  description: 'List Helm repositories (repos) that charts come from: address, kind, uses.',
  render: table('Helm repository', ['name', 'kind', 'url', 'associated_services_count', 'description', 'id']),
});

const update = partialUpdate(operations.update_helm_repository);

export const updateHelmRepository = defineTool(operations.update_helm_repository, {
  toolset: 'administration',
  title: 'Change a Helm chart repository',
  description: 'Change a Helm chart repository: address, description; new credentials in config, such as {password}.',
  ...update,
  preview: joined(update.preview, movedCredentials(operations.get_helm_repository)),
  hidden: ['kind', 'skip_tls_verification', 'description'],
  folded: ['config'],
});

const repositoryText = ({ name, kind, url }: JsonRecord): string =>
  `The Helm repository ${show(name)} (${show(kind)}${url === undefined ? '' : `, ${show(url)}`}), with its credentials, which can not be read back.`;

export const deleteHelmRepository = defineTool(operations.delete_helm_repository, {
  toolset: 'administration',
  title: 'Remove a Helm chart repository',
  description: 'Delete a Helm chart repository that no service uses; dry_run: true tells which do.',
  preview: deletionOf(helmReads, repositoryText),
  render: record(),
});

export const listHelmCharts = defineTool(operations.list_helm_charts, {
  toolset: 'administration',
  title: 'Helm charts and their versions',
  description: 'List charts of a Helm repository, or versions of one chart_name.',
  fields: { chart_name: 'Only this chart.' },
  render: table('chart', ['chart_name', 'versions']),
});
