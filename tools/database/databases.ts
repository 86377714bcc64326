import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, record, deployment } from '../../src/server/tool/index.ts';
import { serviceUpdate } from '../shared/service-update.ts';
import { startMoment } from '../shared/deployment-started.ts';

export const createDatabase = defineTool(operations.create_database, {
  toolset: 'services',
  title: 'Create a database',
  description: 'Set up, provision or spin up a database: Postgres (POSTGRESQL), MySQL, MongoDB or Redis; not deployed.',
  fields: { instance_type: 'Size, for MANAGED.' },
  render: record({ first: ['name', 'id', 'type', 'version', 'mode'] }),
  next: naming`It is not deployed yet: ${'deploy_database'} starts it.`,
});

export const updateDatabase = defineTool(
  operations.update_database,
  serviceUpdate(operations.update_database, {
    title: 'Resize, enlarge or upgrade a database',
    description:
      'Change, resize or upgrade a database: bigger disk (storage), newer version of Postgres and others, more memory or CPU, reachable from ' +
      'outside (PUBLIC) or not. Its type and mode stay.',
    fields: { storage: 'GB of disk.', instance_type: 'Size, where it is MANAGED.', accessibility: 'Who reaches it.' },
    folded: [],
  }),
);

export const deployDatabase = defineTool(operations.deploy_database, {
  toolset: 'services',
  title: 'Deploy a database',
  description: 'Deploy a database: starts it, or brings in its changed configuration.',
  preview: deployment,
  ...startMoment('DEPLOY', 'database_id'),
});
