import type { Config } from '../config/index.ts';
import { isForDatabaseTools } from './database-dumps.ts';
import { keyFile, listSnapshots, takeSnapshot } from '../../platform/store/index.ts';
import { columns } from '../terminal/columns.ts';
import { wrapped } from '../terminal/lines.ts';
import { timeCell } from '../terminal/table-cells.ts';
import { requireDataDir } from '../wiring/data-dir-claim.ts';
import { requireWritable } from '../wiring/written-places.ts';
import { typedCommand } from '../wiring/typed-command.ts';
import { withProgress } from '../terminal/progress.ts';

/** A name that sorts by time: 2026-03-01T12-00-00Z. */
const nameOf = (moment: Date): string => moment.toISOString().replace(/\.\d+/, '').replaceAll(':', '-');

/**
 * `infra-mcp backup`: copies the platform's records into a snapshot, even while a process serves them. Prints its name
 * on stdout, and how to restore it on stderr. Leaves records in a database to the database's own tools.
 * @param name default: the current time
 * @throws Error that says why the backup failed
 */
export async function backupCommand(
  config: Config,
  name: string | undefined,
  { json }: { json?: boolean },
): Promise<void> {
  if (await isForDatabaseTools('backup', config, { json })) return;
  const { dataDir } = config;
  requireDataDir(config);
  requireWritable({ dataDir });
  const snapshot = await withProgress('Copying the records', () => takeSnapshot(dataDir, name ?? nameOf(new Date())));
  const told = `Backed up ${dataDir}. ${typedCommand(config, `restore ${snapshot.name}`)} brings it back. Keep a copy of ${keyFile} elsewhere: it decrypts the secrets in the backup and is not part of it.\n`;
  process.stderr.write(wrapped(told, process.stderr));
  process.stdout.write(json ? `${JSON.stringify(snapshot)}\n` : `${snapshot.name}\n`);
}

/** Prints the backups of a data directory, oldest first. @throws Error if there is no such directory */
export async function listBackups(config: Config, { json }: { json?: boolean }): Promise<void> {
  const { dataDir } = config;
  requireDataDir(config);
  const snapshots = await listSnapshots(dataDir);
  if (!json && snapshots.length === 0)
    return void process.stdout.write(
      wrapped(`There is no backup in ${dataDir} yet; ${typedCommand(config, 'backup')} makes one.\n`),
    );
  process.stdout.write(
    json
      ? `${JSON.stringify(snapshots)}\n`
      : columns(
          ['name', 'made', 'bytes'],
          snapshots.map(({ name, created_at, bytes }) => [name, timeCell(created_at), String(bytes)]),
        ),
  );
}
