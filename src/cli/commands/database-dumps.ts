import { pageLink, type Config } from '../config/index.ts';
import { wrapped } from '../terminal/lines.ts';

const file = 'infra-mcp.dump';

/** The message for each command if the records are in a database. */
const told: Readonly<Record<'backup' | 'restore', (keysDir: string) => string>> = {
  backup: (keysDir) =>
    `The records are in a database, and its own tools back it up, while it is in use. Nothing was done. The command is on standard output; it takes the password from PGPASSWORD or ~/.pgpass. Keep a copy of ${keysDir} beside the dump: its keys open what is sealed in it.`,
  restore: (keysDir) =>
    `The records are in a database, and its own tools restore it. Nothing was done. End all processes that use it, and replace the database by an empty one of the same name; then the command on standard output brings a dump back. Put the keys of that time into ${keysDir}.`,
};

/**
 * If the records are in a database, prints the command of its own tools that replaces `backup` or `restore`, with
 * instructions. Sets the exit code 1, because nothing was backed up or restored.
 * @returns whether the records are in a database
 */
export async function isForDatabaseTools(
  command: 'backup' | 'restore',
  { databaseUrl, keysDir }: Config,
  { json }: { json?: boolean },
): Promise<boolean> {
  if (databaseUrl === undefined) return false;
  const { dumpCommands } = await import('../../postgres/index.ts');
  const { dump, restore } = dumpCommands(databaseUrl, file);
  const line = command === 'backup' ? dump : restore;
  process.stderr.write(
    wrapped(`${told[command](keysDir)} See ${pageLink('platform-on-postgresql')}.\n`, process.stderr),
  );
  process.stdout.write(json ? `${JSON.stringify({ command: line, keys_dir: keysDir })}\n` : `${line}\n`);
  process.exitCode = 1;
  return true;
}
