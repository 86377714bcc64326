import type { Selectable } from 'kysely';
import { notFound, refused } from '../../common/index.ts';
import type { Db, ServiceTable } from '../../store/index.ts';
import { type EngineContext, iso } from '../context.ts';
import { isSettled } from '../lifecycle.ts';
import type { BackupRow } from './backup.ts';
import { backupsInUse, backupsOf, backupName, ongoingBackup } from './backup-rows.ts';

type ServiceRow = Selectable<ServiceTable>;

/**
 * The maximum number of requested backups of one database: they stay on the disk of a node until a user deletes them.
 */
export const mostRequestedBackups = 20;

/** The name of a backup, and whether a schedule requests it. */
interface NewBackup {
  readonly name: string;
  readonly message: string;
  readonly isScheduled: boolean;
}

/** Finds a database, and locks it until the transaction ends. @throws ApiProblem 404 if there is none */
export async function lockDatabase(trx: Db, databaseId: string): Promise<ServiceRow> {
  await trx.lock(`backups/${databaseId}`);
  const row = await trx
    .selectFrom('service')
    .selectAll()
    .where('id', '=', databaseId)
    .where('kind', '=', 'database')
    .executeTakeFirst();
  if (row === undefined) throw notFound('database', databaseId);
  return row;
}

/** Why a database can't be backed up now; undefined if it can. */
async function backupRefusal(context: EngineContext, trx: Db, service: ServiceRow): Promise<string | undefined> {
  const backups = await backupsOf(context, trx, service);
  if (backups === undefined) return 'its cluster makes no backups.';
  const why = backups.refusalOf({ spec: JSON.parse(service.spec) });
  if (why !== undefined) return why;
  if (
    service.deployed_spec === null ||
    (isSettled(service.deployed_state) && ['READY', 'STOPPED', 'DELETED'].includes(service.deployed_state))
  )
    return `it is ${service.deployed_state}. Deploy it first: its own tools make the backup while it runs.`;
  const ongoing = await ongoingBackup(trx, service.id);
  return ongoing && `its backup ${backupName(ongoing)} (${ongoing.id}) is under way. Wait until it has ended.`;
}

/** Why a database can't have another requested backup; undefined if it can. Failed ones take no space. */
async function excessRefusal(trx: Db, databaseId: string): Promise<string | undefined> {
  const requested = await trx
    .selectFrom('backup')
    .selectAll()
    .where('service_id', '=', databaseId)
    .where('is_scheduled', '=', 0)
    .where('state', '=', 'complete')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  if (requested.length < mostRequestedBackups) return undefined;
  const { id } = requested[0]!;
  return `it has ${requested.length} requested backups, which is the maximum. Delete those that are no longer needed with DELETE /database/${databaseId}/backup/{backupId}; the oldest is ${backupName(requested[0]!)} (${id}).`;
}

/** Why no backup of a database can be requested now; undefined if one can. */
export const requestRefusal = async (
  context: EngineContext,
  trx: Db,
  service: ServiceRow,
): Promise<string | undefined> => (await backupRefusal(context, trx, service)) ?? excessRefusal(trx, service.id);

/** Accepts a backup, which then starts. @throws ApiProblem 400 if the database can't be backed up now */
export async function requestBackup(
  context: EngineContext,
  trx: Db,
  databaseId: string,
  { name, message, isScheduled }: NewBackup,
): Promise<BackupRow> {
  const service = await lockDatabase(trx, databaseId);
  const why = await (isScheduled ? backupRefusal : requestRefusal)(context, trx, service);
  if (why !== undefined) throw refused(`${service.name} (database ${databaseId}) can't be backed up: ${why}`);
  const at = context.clock.now();
  return trx
    .insertInto('backup')
    .values({
      id: context.random.uuid(),
      service_id: databaseId,
      name,
      message,
      state: 'ongoing',
      is_scheduled: isScheduled ? 1 : 0,
      created_at: iso(at),
      due_ms: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Marks a backup for deletion.
 * @throws ApiProblem 404 if the database has no such backup, 400 while it is being created or used
 */
export async function requestBackupDeletion(
  context: EngineContext,
  trx: Db,
  databaseId: string,
  backupId: string,
): Promise<void> {
  await lockDatabase(trx, databaseId);
  const row = await trx
    .selectFrom('backup')
    .selectAll()
    .where('id', '=', backupId)
    .where('service_id', '=', databaseId)
    .executeTakeFirst();
  if (row === undefined) throw notFound('backup', backupId);
  if (row.state === 'ongoing')
    throw refused(`The backup ${backupName(row)} is under way: delete it when it has ended.`);
  if ((await backupsInUse(trx, databaseId)).has(backupId))
    throw refused(
      `The database is being brought back from the backup ${backupName(row)}: delete it when that has ended.`,
    );
  await trx
    .updateTable('backup')
    .set({ state: 'deleting', reason: null, due_ms: context.clock.now() })
    .where('id', '=', backupId)
    .execute();
}
