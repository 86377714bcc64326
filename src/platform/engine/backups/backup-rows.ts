import type { Selectable } from 'kysely';
import { backupText } from '../../../contract/index.ts';
import type { BackupTask, DatabaseBackups, Restoration, RunningDatabase } from '../../runtime/index.ts';
import type { Db, ServiceTable } from '../../store/index.ts';
import type { EngineContext } from '../context.ts';
import { deployedVersion } from '../logs.ts';
import { runtimeOfEnvironment } from '../tasks.ts';
import type { BackupRow } from './backup.ts';

/** The newest complete backup of a database, but for one; undefined if it has none. */
export const newestBackup = (db: Db, databaseId: string, except = ''): Promise<BackupRow | undefined> =>
  db
    .selectFrom('backup')
    .selectAll()
    .where('service_id', '=', databaseId)
    .where('state', '=', 'complete')
    .where('id', '<>', except)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();

/** The backup of a database that is under way; undefined if none is. */
export const ongoingBackup = (db: Db, databaseId: string): Promise<BackupRow | undefined> =>
  db
    .selectFrom('backup')
    .selectAll()
    .where('service_id', '=', databaseId)
    .where('state', '=', 'ongoing')
    .executeTakeFirst();

/** What people are told of a backup. */
export const shownBackup = ({ name, created_at: at, node }: Pick<BackupRow, 'name' | 'created_at' | 'node'>) => ({
  name,
  at,
  ...(node !== null && { node }),
});

/** Words that tell a backup from others. */
export const backupName = (row: Parameters<typeof shownBackup>[0]): string => backupText(shownBackup(row));

/** The version of a database that runs, or should run; undefined if it was never deployed. */
export const runningDatabase = (service: Selectable<ServiceTable>): RunningDatabase | undefined =>
  deployedVersion(service) as RunningDatabase | undefined;

/** What makes the backups of a database; undefined if its cluster makes none. */
export const backupsOf = async (
  context: Pick<EngineContext, 'runtimes'>,
  db: Db,
  { environment_id: environmentId }: Pick<Selectable<ServiceTable>, 'environment_id'>,
): Promise<DatabaseBackups | undefined> => (await runtimeOfEnvironment(context, db, environmentId)).backups;

/** A backup as its runtime sees it. @param latest the newest complete backup beside it */
export const backupTask = (row: BackupRow, database: RunningDatabase, latest: BackupRow | undefined): BackupTask => ({
  id: row.id,
  database,
  beganAt: Date.parse(row.created_at),
  ...(row.record !== null && { record: row.record }),
  ...(latest?.record && { latestRecord: latest.record }),
});

/** The backups that deployments under way bring a database back from, by their ids. */
export async function backupsInUse(db: Db, databaseId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('deployment_service')
    .select('restoration')
    .where('service_id', '=', databaseId)
    .where('ended_at', 'is', null)
    .where('restoration', 'is not', null)
    .execute();
  return new Set(rows.map(({ restoration }) => (JSON.parse(restoration!) as Restoration).backupId));
}
