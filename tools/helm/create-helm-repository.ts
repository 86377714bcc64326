import { operations } from '../../src/contract/index.ts';
import { defineTool, record } from '../../src/server/tool/index.ts';

export const createHelmRepository = defineTool(operations.create_helm_repository, {
  toolset: 'organization',
  description: 'Connect a Helm chart repository or OCI registry to the organization, with its credentials.',
  plan: () => ['Stores these credentials on the platform.'],
  render: record({ first: ['name', 'id', 'kind', 'url'] }),
});
