import { operations } from '../../src/contract/index.ts';
import { defineTool } from '../../src/server/tool/index.ts';
import { serviceUpdate, withRegistryId } from '../shared/service-update.ts';

export const updateContainer = defineTool(
  operations.update_container,
  serviceUpdate(operations.update_container, {
    description: 'Change how a container runs: another image version (tag), more memory or CPU, scaling, health checks, ports, disks.',
    asRequest: withRegistryId,
    fields: { registry_id: 'Linked registry.', image_name: 'Without tag.' },
    hidden: ['description'],
  }),
);
