import { operations } from '../../src/contract/index.ts';
import { defineTool } from '../../src/server/tool/index.ts';
import { serviceUpdate } from '../shared/service-update.ts';

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
