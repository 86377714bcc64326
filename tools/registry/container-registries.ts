import { operations } from '../../src/contract/index.ts';
import { defineTool, partialUpdate, record, show, table, type JsonRecord } from '../../src/server/tool/index.ts';
import { joined } from '../shared/plan-parts.ts';
import { movedCredentials } from './credentials.ts';
import { deletionOf, usedBy } from './uses.ts';

const toolset = 'administration';

const reads = { get: operations.get_container_registry, uses: operations.list_services_of_container_registry };

const columns = ['name', 'kind', 'url', 'associated_services_count', 'config', 'description', 'id'];

export const listContainerRegistries = defineTool(operations.list_container_registries, {
  toolset,
  title: 'Container registries of images',
  description: 'List container (Docker) registries that images are pulled from: address, kind, uses.',
  render: table('container registry', columns),
});

export const createContainerRegistry = defineTool(operations.create_container_registry, {
  toolset,
  title: 'Add a container registry',
  description:
    'Link a private container (Docker) registry to pull images: login, credentials such as {username, password}.',
  fields: { kind: 'GENERIC_CR, DOCKER_HUB, ECR …', url: 'Address.' },
  folded: ['config'],
  hidden: ['description'],
  plan: () => ['Stores these credentials on the platform. Services whose registry_id names it pull with them.'],
  render: record({ first: ['name', 'id', 'kind', 'url'] }),
});

const update = partialUpdate(operations.update_container_registry);

export const updateContainerRegistry = defineTool(operations.update_container_registry, {
  toolset,
  title: 'Change a container registry',
  description: 'Change a container (Docker) registry: name, address, description; new login, password in config.',
  ...update,
  plan: () => ['Services that use it pull from there, with these credentials, from their next deployment on.'],
  preview: joined(update.preview, movedCredentials(reads.get), usedBy(reads)),
  hidden: ['kind', 'description'],
  folded: ['config'],
});

const registryText = ({ name, kind, url }: JsonRecord): string =>
  `The container registry ${show(name)} (${show(kind)}, ${show(url)}), with its credentials, which can not be read back.`;

export const deleteContainerRegistry = defineTool(operations.delete_container_registry, {
  toolset,
  title: 'Remove a container registry',
  description: 'Unlink a container registry that no service uses; dry_run: true tells which do.',
  preview: deletionOf(
    reads,
    registryText,
    'Without it their images can not be pulled: deployments fail, and so do new instances on other machines.',
  ),
  render: record(),
});
