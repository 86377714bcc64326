import { operation } from '../operation.ts';
import {
  Backup,
  BackupList,
  backupQuery,
  BackupRequest,
  DatabaseRecovery,
  recoveryQuery,
  RestoreRequest,
} from '../resources/backup.ts';
import { Deployment } from '../resources/deployment.ts';
import { read, undocumented } from './common.ts';

/** Operations outside the API document: backups of databases, and restoring a database from one. */
export const backupExtensions = {
  list_database_backups: operation({
    ...read,
    name: 'list_database_backups',
    path: '/database/{databaseId}/backup',
    query: backupQuery,
    response: BackupList,
    summary: 'List the backups of one database, newest first.',
  }),
  create_database_backup: operation({
    ...undocumented,
    name: 'create_database_backup',
    method: 'POST',
    path: '/database/{databaseId}/backup',
    body: BackupRequest,
    response: Backup,
    effect: 'write',
    permission: 'deploy',
    target: 'database',
    creates: { kind: 'backup', in: 'database' },
    summary: 'Begin a backup of one database.',
  }),
  delete_database_backup: operation({
    ...undocumented,
    name: 'delete_database_backup',
    method: 'DELETE',
    path: '/database/{databaseId}/backup/{backupId}',
    effect: 'destructive',
    target: 'database',
    summary: 'Delete a backup of one database, with its files.',
  }),
  get_database_recovery: operation({
    ...read,
    name: 'get_database_recovery',
    path: '/database/{databaseId}/recovery',
    query: recoveryQuery,
    response: DatabaseRecovery,
    summary:
      'Read what bringing one database back from a backup would do now, or why that or another backup is refused.',
  }),
  restore_database: operation({
    ...undocumented,
    name: 'restore_database',
    changesWhatRuns: true,
    method: 'POST',
    path: '/database/{databaseId}/restore',
    body: RestoreRequest,
    response: Deployment,
    effect: 'destructive',
    target: 'database',
    summary:
      'Bring one database back from a backup, on another node if its own is lost. What was written since the backup is not there afterwards.',
  }),
} as const;
