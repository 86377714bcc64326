import { operations } from '../../src/contract/index.ts';
import { defineTool, record } from '../../src/server/tool/index.ts';

export const createHelmRepository = defineTool(operations.create_helm_repository, {
  toolset: 'organization',
  title: 'Add a Helm chart repository',
  description: 'Add or register a private Helm chart repository or OCI registry, with its credentials.',
  fields: {
    config:
      '{} for none, or {username, password}; AWS: region, access_key_id, secret_access_key, role_arn; others: vendor_access_key, vendor_secret_key, vendor_project_id, azure_tenant_id, azure_subscription_id.',
  },
  folded: ['config'],
  plan: () => ['Stores these credentials on the platform.'],
  render: record({ first: ['name', 'id', 'kind', 'url'] }),
});
