import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, record } from '../../src/server/tool/index.ts';

export const getHelm = defineTool(operations.get_helm, {
  toolset: 'services',
  description: ['See how a Helm release is configured: chart and version, values, arguments, ports.', naming`Read it before ${'update_helm'}.`],
  render: record({ omitted: [] }),
});
