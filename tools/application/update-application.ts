import { operations } from '../../src/contract/index.ts';
import { defineTool } from '../../src/server/tool/index.ts';
import { serviceUpdate, withHealthchecks } from '../shared/service-update.ts';

export const updateApplication = defineTool(
  operations.update_application,
  serviceUpdate(operations.update_application, {
    description: 'Change how an app runs or is built: git branch, Dockerfile, more memory or CPU, scaling up or down, health checks, ports, disks.',
    asRequest: withHealthchecks,
    fields: { git_repository: '{url, branch, root_path}.' },
    folded: ['git_repository'],
    hidden: ['description'],
  }),
);
