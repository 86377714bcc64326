import { operations } from '../../src/contract/index.ts';
import { defineTool, record } from '../../src/server/tool/index.ts';

export const createDatabaseBackup = defineTool(operations.create_database_backup, {
  toolset: 'services',
  title: 'Back up a database',
  description: 'Back up a PostgreSQL now, on another node if there is one.',
  render: record({ first: ['name', 'id', 'status'] }),
  next: (_view, { database_id }) => [
    {
      tool: 'list_database_backups',
      arguments: { database_id },
      why: 'begun, not complete yet: this tells when it is',
    },
  ],
});
