import { operations } from '../../src/contract/operations.ts';
import { defineTool, record } from '../../src/mcp/tool.ts';

export const updateHelm = defineTool(operations.update_helm, {
  toolset: 'services',
  description:
    'Change a Helm release: chart version, values, arguments, ports. Replaces the whole configuration: read it with get_helm first ' +
    'and send it back with your change; what you leave out is lost.',
  fields: {
    values_override: "What differs from the chart's own values.",
    'values_override.set': '[name, value] pairs.',
    'values_override.set_string': 'As set, kept as text.',
    'values_override.set_json': 'As set, JSON values.',
    'values_override.file.raw': 'Values files given here.',
    'values_override.file.git': 'Values files from git.',
    'source.git_repository.git_token_id': 'For private repositories.',
    'source.helm_repository.repository': 'Repository id.',
    'ports[].service_name': 'Kubernetes service.',
  },
  folded: ['source.git', 'source.repository'],
  plan: () => ['Replaces the whole configuration: what is not listed here goes back to its default or is removed.'],
  render: record({ left: [] }),
  next: 'It takes effect with the next deployment.',
});
