import { operations } from '../../src/contract/index.ts';
import { defineTool, table } from '../../src/server/tool/index.ts';

export const listDatabaseBackups = defineTool(operations.list_database_backups, {
  toolset: 'services',
  title: 'Backups of a database',
  description: 'Backups of a database: how old, on which node, complete (DEPLOYED) or not.',
  render: table('backup', [
    'name',
    'status.state',
    'created_at',
    'ended_at',
    'node',
    'bytes',
    'reason',
    'message',
    'id',
  ]),
});
