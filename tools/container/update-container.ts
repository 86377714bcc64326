import { operations } from '../../src/contract/operations.ts';
import { defineTool, record } from '../../src/mcp/tool.ts';

export const updateContainer = defineTool(operations.update_container, {
  toolset: 'services',
  description:
    'Change a container: image tag, CPU, memory, instances, ports, health checks, autoscaling. Replaces the whole configuration: ' +
    'read it with list_services first and send it back with your change; what you leave out is lost.',
  fields: { registry_id: 'Linked registry; list_services shows it.', healthchecks: 'Probes; {} for none.' },
  plan: () => ['Replaces the whole configuration: what is not listed here goes back to its default or is removed.'],
  render: record(),
  next: "It takes effect with the container's next deployment.",
});
