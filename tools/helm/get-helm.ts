import { operations } from '../../src/contract/index.ts';
import { defineTool, record } from '../../src/server/tool/index.ts';

export const getHelm = defineTool(operations.get_helm, {
  toolset: 'services',
  title: 'Show the values of a Helm chart',
  description: 'Show how a Helm release is configured: chart and version, values, arguments, ports.',
  render: record({ omitted: [] }),
});
