import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, nothingUnderWay, record, underWay } from '../../src/server/tool/index.ts';

export const cancelDeployment = defineTool(operations.cancel_deployment, {
  toolset: 'environments',
  description: 'Abort the running or queued deploy of an environment: stop this deployment, the wrong one. What it has changed stays changed.',
  preview: underWay,
  noOpCheck: nothingUnderWay,
  render: record({ first: ['state', 'id'] }),
  next: naming`Accepted: ${'get_environment_status'} shows when it is CANCELED.`,
});
