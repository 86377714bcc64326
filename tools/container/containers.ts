import { ContainerRequest, operations } from '../../src/contract/index.ts';
import { defineTool, naming, record } from '../../src/server/tool/index.ts';
import { newService, serviceFields, serviceUpdate, withRegistryId } from '../shared/service-update.ts';

export const createContainer = defineTool(operations.create_container, {
  toolset: 'services',
  title: 'Run a Docker image: new container',
  description: 'Run or host a Docker image (nginx …) from a registry: adds a container; not deployed.',
  ...serviceFields({
    fields: { name: 'Unique in the environment.', registry_id: 'Linked registry.', image_name: 'Without tag.' },
    hidden: ['description'],
  }),
  input: { healthchecks: ContainerRequest.shape.healthchecks.optional() },
  ...newService(operations.create_container),
  render: record({ first: ['name', 'id', 'image_name', 'tag'] }),
  next: ['It is not deployed yet.', naming`${'deploy_service'} deploys it.`],
});

export const updateContainer = defineTool(
  operations.update_container,
  serviceUpdate(operations.update_container, {
    title: 'Change a container: use another Docker image, port',
    description:
      'Change a container: use another image, tag, version, more memory (RAM), CPU, limit, scale instances ' +
      '(replicas), start command, health checks, publish a port, disk.',
    asRequest: withRegistryId,
    fields: { registry_id: 'Linked registry.', image_name: 'Without tag.', auto_deploy: 'On each new tag.' },
    hidden: ['description'],
  }),
);
