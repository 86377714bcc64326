import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, record, deployment } from '../../src/server/tool/index.ts';
import { serviceUpdate } from '../shared/service-update.ts';
import { startMoment } from '../shared/deployment-started.ts';

export const createDatabase = defineTool(operations.create_database, {
  toolset: 'services',
  title: 'New database: Postgres, MySQL, MongoDB, Redis cache',
  description:
    'Set up, spin up, provision or add a database (db): Postgres (POSTGRESQL), MySQL, MongoDB, Redis (cache); not ' +
    'deployed.',
  fields: { instance_type: 'Size, for MANAGED.' },
  render: record({ first: ['name', 'id', 'type', 'version', 'mode'] }),
  next: naming`It is not deployed yet: ${'deploy_database'} starts it.`,
});

export const updateDatabase = defineTool(
  operations.update_database,
  serviceUpdate(operations.update_database, {
    title: 'Resize, enlarge or upgrade a database',
    description:
      'Change a database (db): make disk bigger (storage), newer version (upgrade Postgres), more memory, CPU, ' +
      'public access from outside.',
    fields: { storage: 'GB of disk.', instance_type: 'Size, for MANAGED.', accessibility: 'Who reaches it.' },
    folded: [],
  }),
);

export const deployDatabase = defineTool(operations.deploy_database, {
  toolset: 'services',
  title: 'Deploy a database',
  description: 'Deploy, roll out, start or launch a database (db), or apply its changed configuration.',
  preview: deployment,
  ...startMoment('DEPLOY', 'database_id'),
});
