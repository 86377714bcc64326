import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, nothingUnderWay, record, underWay } from '../../src/server/tool/index.ts';

export const cancelDeployment = defineTool(operations.cancel_deployment, {
  toolset: 'environments',
  title: 'Cancel a deployment, stop the wrong one',
  description: 'Abort the running or queued deploy (rollout) of an environment. What it has changed stays changed.',
  preview: underWay,
  noOpCheck: nothingUnderWay,
  render: record({ first: ['state', 'id'] }),
  next: naming`Accepted: ${'get_environment_status'} shows when it is CANCELED.`,
});
