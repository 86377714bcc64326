import { operations } from '../../src/contract/index.ts';
import { defineTool } from '../../src/server/tool/index.ts';
import { serviceUpdate, withHealthchecks } from '../shared/service-update.ts';

export const updateApplication = defineTool(
  operations.update_application,
  serviceUpdate(operations.update_application, {
    title: 'Scale an application, give it more memory or CPUs',
    description:
      'Change an app: give it more memory, raise its CPU limit, scale or autoscale its instances (replicas), point it at ' +
      'another branch, expose a port, change its Dockerfile, health check, disks.',
    asRequest: withHealthchecks,
    fields: { git_repository: '{url, branch, root_path}.' },
    folded: ['git_repository'],
    hidden: ['description'],
  }),
);
