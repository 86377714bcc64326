import type { Selectable } from 'kysely';
import { backupText } from '../../../contract/index.ts';
import type { BackupTask, DatabaseBackups, Restoration, RunningDatabase } from '../../runtime/index.ts';
import type { Db, ServiceTable } from '../../store/index.ts';
import type { EngineContext } from '../context.ts';
import { deployedVersion } from '../serving-version.ts';
import { runtimeOfEnvironment } from '../tasks.ts';
import type { BackupRow } from './backup.ts';

/** The newest complete backup of a database, except a given one; undefined if it has none. */
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

/** The ongoing backup of a database; undefined if there is none. */
export const ongoingBackup = (db: Db, databaseId: string): Promise<BackupRow | undefined> =>
  db
    .selectFrom('backup')
    .selectAll()
    .where('service_id', '=', databaseId)
    .where('state', '=', 'ongoing')
    .executeTakeFirst();

/** The details of a backup that messages show. */
export const shownBackup = ({ name, created_at: at, node }: Pick<BackupRow, 'name' | 'created_at' | 'node'>) => ({
  name,
  at,
  ...(node !== null && { node }),
});

/** A text that identifies a backup. */
export const backupName = (row: Parameters<typeof shownBackup>[0]): string => backupText(shownBackup(row));

/** The version of a database that runs, or should run; undefined if the database was never deployed. */
export const runningDatabase = (service: Selectable<ServiceTable>): RunningDatabase | undefined =>
  deployedVersion(service) as RunningDatabase | undefined;

/** The backup operations for a database; undefined if its cluster makes no backups. */
export const backupsOf = async (
  context: Pick<EngineContext, 'runtimes'>,
  db: Db,
  { environment_id: environmentId }: Pick<Selectable<ServiceTable>, 'environment_id'>,
): Promise<DatabaseBackups | undefined> => (await runtimeOfEnvironment(context, db, environmentId)).backups;

/** A backup as its runtime sees it. @param latest the newest complete backup other than this one */
export const backupTask = (row: BackupRow, database: RunningDatabase, latest: BackupRow | undefined): BackupTask => ({
  id: row.id,
  database,
  beganAt: Date.parse(row.created_at),
  ...(row.record !== null && { record: row.record }),
  ...(latest?.record && { latestRecord: latest.record }),
});

/** The ids of the backups from which deployments under way restore a database. */
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
