import { operations } from '../../src/contract/index.ts';
import { defineTool } from '../../src/server/tool/index.ts';
import { serviceUpdate, withRegistryId } from '../shared/service-update.ts';

export const updateContainer = defineTool(
  operations.update_container,
  serviceUpdate(operations.update_container, {
    title: 'Change a container, use another Docker image',
    description:
      'Change how a container runs: image tag, more memory, CPU limit, scale its instances (replicas), health check, ports, disks.',
    asRequest: withRegistryId,
    fields: { registry_id: 'Linked registry.', image_name: 'Without tag.', auto_deploy: 'On each new tag.' },
    hidden: ['description'],
  }),
);
