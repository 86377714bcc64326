import { operations } from '../../src/contract/index.ts';
import { defineTool, deployment } from '../../src/server/tool/index.ts';
import { startMoment } from '../shared/deployment-started.ts';

export const redeployTerraform = defineTool(operations.redeploy_terraform, {
  toolset: 'services',
  title: 'Apply Terraform again',
  description: 'Run a Terraform service again, redeploy it: plans and applies its files once more.',
  plan: () => ['Terraform plans and applies again: what drifted is changed back, in the cloud account too.'],
  preview: deployment,
  ...startMoment('DEPLOY', 'terraform_id'),
});
