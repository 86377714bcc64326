import * as z from 'zod';
import { type Command, defineCommand, json } from './command.ts';

const database = { name: '<database>', description: 'id of the database in the platform', schema: z.uuid() };

/**
 * The commands that back up, restore and move the platform's records, and the data of databases that run on an engine.
 */
export const backupCommands: readonly Command[] = [
  defineCommand({
    name: 'backup',
    summary: "back up the embedded platform's records in the data directory, even while it runs",
    takes: 'backup',
    flags: { json },
    args: [
      {
        name: '[name]',
        description: 'name of the backup: letters, digits, dots, dashes and underscores (default: the current time)',
      },
    ],
    examples: [
      { line: 'infra-mcp backup', does: 'create a backup named after the current time' },
      { line: 'infra-mcp backup before-upgrade', does: 'create a backup with a given name' },
    ],
    run: async ({ config, args: [name], flags }) => (await import('./backup.ts')).backupCommand(config, name, flags),
  }),
  defineCommand({
    name: 'restore',
    summary:
      'restore a backup completely, while no process serves the data directory; without a name, list the backups',
    takes: 'restore',
    flags: { json },
    args: [{ name: '[name]', description: 'name of the backup' }],
    examples: [
      { line: 'infra-mcp restore', does: 'list the backups' },
      { line: 'infra-mcp restore before-upgrade', does: 'restore everything except tokens, which stay as they are' },
    ],
    run: async ({ config, args: [name], flags }) => (await import('./restore.ts')).restoreCommand(config, name, flags),
  }),
  defineCommand({
    name: 'migrate',
    summary:
      'move the records of the data directory to the PostgreSQL database at INFRA_DATABASE_URL, all of them or none, while no process serves the directory',
    takes: 'migrate',
    flags: { json },
    examples: [
      {
        line: 'infra-mcp migrate --data-dir ./data',
        does: 'copy every table, compare it with what the database has then, and print it',
      },
    ],
    run: async ({ config, flags }) => (await import('./migrate.ts')).migrateCommand(config, flags),
  }),
  defineCommand({
    name: 'database backup',
    summary: 'dump a PostgreSQL into a new file with its own pg_dump, while it goes on serving',
    takes: 'database',
    flags: { json },
    args: [database, { name: '<file>', description: 'file to create, in the custom format of pg_dump' }],
    examples: [
      {
        line: 'infra-mcp database backup 5f0c3c1e-7d1a-4c58-9a55-0d3c6c0a5b11 shop.dump',
        does: 'back up a database of the engine of this machine',
      },
    ],
    run: async ({ config, args: [id, file], flags }) =>
      (await import('./database.ts')).databaseBackupCommand(config, id!, file!, flags),
  }),
  defineCommand({
    name: 'database restore',
    summary: 'restore such a file with pg_restore: all of it or nothing; replaces the tables that it has',
    takes: 'database',
    flags: { json },
    args: [database, { name: '<file>', description: 'file of a backup' }],
    examples: [
      {
        line: 'infra-mcp database restore 5f0c3c1e-7d1a-4c58-9a55-0d3c6c0a5b11 shop.dump',
        does: 'bring back what a backup has, in the same or another database',
      },
    ],
    run: async ({ config, args: [id, file], flags }) =>
      (await import('./database.ts')).databaseRestoreCommand(config, id!, file!, flags),
  }),
];
