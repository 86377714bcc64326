import type * as z from 'zod';
import type { operations } from '../../../contract/index.ts';
import type { OperationHandlers } from '../handler.ts';
import { credentialColumns } from './credentials.ts';
import { findInOrganization } from './find.ts';
import { organizationResources } from './organization-resources.ts';
import { withoutNulls } from './rows.ts';
import { countUses } from './uses.ts';

type Request = Omit<z.output<typeof operations.create_helm_repository.body>, 'name'>;

const repositories = organizationResources('helm_repository', {
  columns: ({ kind, url, description, skip_tls_verification: skips, config }: Request, { vault }, stored) => ({
    kind,
    url: url ?? null,
    description: description ?? null,
    skip_tls_verification: skips ? (1 as const) : (0 as const),
    ...credentialColumns('helm_repository', config, vault, stored?.sealed_config),
  }),
  answer: async (row, db) => ({
    ...withoutNulls(row),
    skip_tls_verification: row.skip_tls_verification === 1,
    config: JSON.parse(row.config) as Record<string, string>,
    associated_services_count: await countUses('helm_repository', row.id, db),
  }),
});

export const helmRepositoryHandlers = {
  list_helm_repositories: repositories.list,
  create_helm_repository: repositories.create,
  get_helm_repository: ({ organization_id, helm_repository_id }, context) =>
    repositories.get(organization_id, helm_repository_id, context),
  update_helm_repository: ({ helm_repository_id, ...repository }, context) =>
    repositories.update(helm_repository_id, repository, context),
  delete_helm_repository: ({ organization_id, helm_repository_id }, context) =>
    repositories.remove(organization_id, helm_repository_id, context),
  list_services_of_helm_repository: ({ organization_id, helm_repository_id }, context) =>
    repositories.uses(organization_id, helm_repository_id, context),
  list_helm_charts: {
    withoutTransaction: async ({ organization_id, helm_repository_id, chart_name }, { db, engine }) => {
      const repository = await db.read((trx) =>
        findInOrganization(trx, 'helm_repository', organization_id, helm_repository_id),
      );
      return { results: await engine.charts(repository, chart_name) };
    },
  },
} satisfies Partial<
  OperationHandlers<
    | `${'create' | 'get' | 'update' | 'delete' | 'list_services_of'}_helm_repository`
    | 'list_helm_repositories'
    | 'list_helm_charts'
  >
>;
