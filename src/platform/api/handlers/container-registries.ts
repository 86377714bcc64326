import type * as z from 'zod';
import type { operations } from '../../../contract/index.ts';
import { invalid } from '../../common/index.ts';
import type { OperationHandlers } from '../handler.ts';
import { credentialColumns } from './credentials.ts';
import { organizationResources } from './organization-resources.ts';
import { withoutNulls } from './rows.ts';
import { countUses, requireUnused } from './uses.ts';

type Request = Omit<z.output<typeof operations.create_container_registry.body>, 'name'>;

/** The addresses of public registries, by their kind. */
const publicAddresses: Readonly<Record<string, string>> = {
  DOCKER_HUB: 'https://docker.io',
  GITHUB_CR: 'https://ghcr.io',
  GITLAB_CR: 'https://registry.gitlab.com',
  PUBLIC_ECR: 'https://public.ecr.aws',
};

/** The address of a registry. @throws ApiProblem 400 if its kind needs one */
function addressOf({ kind, url }: Pick<Request, 'kind' | 'url'>): string {
  const address = url ?? (Object.hasOwn(publicAddresses, kind) ? publicAddresses[kind] : undefined);
  if (address === undefined) throw invalid('url', `is required for the kind ${kind}`);
  return address;
}

const registries = organizationResources('registry', {
  columns: async ({ kind, url, description, config }: Request, { db, vault }, stored) => {
    // The kind decides which names images have.
    if (stored !== undefined && stored.kind !== kind)
      await requireUnused('registry', stored.organization_id, stored.id, db, `become one of kind ${kind}`);
    return {
      kind,
      url: addressOf({ kind, url }),
      description: description ?? null,
      ...credentialColumns('registry', config, vault, stored?.sealed_config),
    };
  },
  answer: async (row, db) => ({
    ...withoutNulls(row),
    config: JSON.parse(row.config ?? '{}') as Record<string, string>,
    associated_services_count: await countUses('registry', row.id, db),
  }),
});

export const containerRegistryHandlers = {
  list_container_registries: registries.list,
  create_container_registry: registries.create,
  get_container_registry: ({ organization_id, registry_id }, context) =>
    registries.get(organization_id, registry_id, context),
  update_container_registry: ({ registry_id, ...registry }, context) =>
    registries.update(registry_id, registry, context),
  delete_container_registry: ({ organization_id, registry_id }, context) =>
    registries.remove(organization_id, registry_id, context),
  list_services_of_container_registry: ({ organization_id, registry_id }, context) =>
    registries.uses(organization_id, registry_id, context),
} satisfies Partial<
  OperationHandlers<
    `${'create' | 'get' | 'update' | 'delete' | 'list_services_of'}_container_registry` | 'list_container_registries'
  >
>;
