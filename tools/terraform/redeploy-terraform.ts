import { operations } from '../../src/contract/operations.ts';
import { defineTool, deployment, record } from '../../src/mcp/tool.ts';

export const redeployTerraform = defineTool(operations.redeploy_terraform, {
  toolset: 'services',
  description: 'Run a Terraform service again: plans and applies its files once more.',
  plan: () => ['Terraform plans and applies again: what drifted is changed back, in the cloud account too.'],
  preview: deployment,
  render: record({ first: ['state', 'id'] }),
  next: 'Accepted, not applied yet: get_environment_status shows when it is DEPLOYED or failed.',
});
