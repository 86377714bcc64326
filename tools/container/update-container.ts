import { operations } from '../../src/contract/index.ts';
import { partialUpdate, defineTool, isRecord, record, type JsonRecord } from '../../src/server/tool/index.ts';

/** Converts a container to a request, which names the registry by its id. */
const asRequest = ({ registry, ...container }: JsonRecord): JsonRecord =>
  isRecord(registry) && (container['registry_id'] ?? undefined) === undefined ? { ...container, registry_id: registry['id'] } : container;

export const updateContainer = defineTool(operations.update_container, {
  toolset: 'services',
  description:
    'Change a container: image tag, CPU, memory, instances, ports, health checks, autoscaling. Give only what changes; the rest stays. ' +
    'null removes a member; a list replaces the whole list.',
  ...partialUpdate(operations.update_container, { asRequest, exclusive: ['healthchecks.readiness_probe.type', 'healthchecks.liveness_probe.type'] }),
  fields: { registry_id: 'Linked registry.', 'healthchecks.liveness_probe': 'Restart it? Form of readiness_probe.' },
  folded: ['healthchecks.liveness_probe'],
  hidden: ['autoscaling.mode'],
  render: record(),
  next: "It takes effect with the container's next deployment.",
});
