import { operations } from '../../src/contract/index.ts';
import { defineTool, serviceDeployment } from '../../src/server/tool/index.ts';
import { startMoment } from '../shared/deployment-started.ts';

export const redeployTerraform = defineTool(operations.redeploy_terraform, {
  toolset: 'services',
  title: 'Apply Terraform again',
  description: 'Run a Terraform service again, redeploy it: applies its newest plan, or makes one.',
  preview: serviceDeployment,
  ...startMoment('DEPLOY', 'terraform_id'),
});
