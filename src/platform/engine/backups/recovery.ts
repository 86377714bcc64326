import { readCondition } from '../../../contract/index.ts';
import { errorMessage, notFound, refused } from '../../common/index.ts';
import type { Restoration, RunningDatabase } from '../../runtime/index.ts';
import type { DataStore, Db } from '../../store/index.ts';
import type { EngineContext } from '../context.ts';
import type { Recovery } from './backup.ts';
import { backupsOf, backupName, newestBackup, runningDatabase } from './backup-rows.ts';
import { lockDatabase, requestRefusal } from './backup-requests.ts';

/**
 * The backup that a database would be restored from, and what prevents that, or another backup, according to the
 * records.
 */
async function recordedRecovery(context: EngineContext, trx: Db, databaseId: string, backupId: string | undefined) {
  const service = await trx
    .selectFrom('service')
    .selectAll()
    .where('id', '=', databaseId)
    .where('kind', '=', 'database')
    .executeTakeFirst();
  if (service === undefined) throw notFound('database', databaseId);
  const wanted =
    backupId === undefined
      ? undefined
      : await trx
          .selectFrom('backup')
          .selectAll()
          .where('id', '=', backupId)
          .where('service_id', '=', databaseId)
          .executeTakeFirst();
  if (backupId !== undefined && wanted === undefined) throw notFound('backup', backupId);
  const backup = wanted ?? (await newestBackup(trx, databaseId));
  const backups = await backupsOf(context, trx, service);
  const running = runningDatabase(service);
  // A restoration deploys the current configuration.
  const database =
    running && ({ ...running, service: { ...running.service, spec: JSON.parse(service.spec) } } as RunningDatabase);
  const refusal =
    backups === undefined
      ? 'Its cluster makes no backups.'
      : (backups.refusalOf({ spec: JSON.parse(service.spec) }) ??
        (database === undefined
          ? `${service.name} was never deployed: deploy it.`
          : backup === undefined
            ? `${service.name} has no complete backup.`
            : backup.state !== 'complete'
              ? `The backup ${backupName(backup)} is not complete (${backup.state}${backup.reason === null ? '' : `: ${readCondition(backup.reason).message}`}). Choose another one.`
              : undefined));
  const noBackups = await requestRefusal(context, trx, service);
  return { environmentId: service.environment_id, backup, backups, database, refusal, noBackups };
}

/**
 * Determines the effects of restoring a database now. Queries the runtime, so it must run outside any transaction.
 * @throws ApiProblem 404 for an unknown database or backup
 */
export async function recoveryOf(
  context: EngineContext,
  db: DataStore,
  databaseId: string,
  backupId: string | undefined,
  signal: AbortSignal,
): Promise<Recovery> {
  const { backups, database, refusal, ...recorded } = await db.read((trx) =>
    recordedRecovery(context, trx, databaseId, backupId),
  );
  if (refusal !== undefined) return { ...recorded, refusal };
  try {
    const plan = await backups!.plan(database!, recorded.backup!.record!, signal);
    return { ...recorded, plan, refusal: plan.refusal };
  } catch (error) {
    return { ...recorded, refusal: `The state of its nodes can't be determined: ${errorMessage(error)}` };
  }
}

/**
 * The restoration that was agreed to, if the backup still exists.
 * @throws ApiProblem 400 if the database can't be restored, or if waiting may recover its data and `withoutWaiting`
 *   isn't set
 */
export async function restorationOf(
  trx: Db,
  databaseId: string,
  { backup, plan, refusal }: Recovery,
  withoutWaiting: boolean,
): Promise<Restoration> {
  const { name } = await lockDatabase(trx, databaseId);
  const refuse = (why: string) =>
    refused(`${name} (database ${databaseId}) can't be brought back from a backup: ${why}`);
  if (refusal !== undefined || plan?.to === undefined || backup === undefined)
    throw refuse(refusal ?? 'there is no place for it.');
  if (plan.mayComeBack !== undefined && !withoutWaiting)
    throw refuse(
      `${plan.mayComeBack} To bring it back from the backup all the same, without what was written since, set "without_waiting" to true.`,
    );
  const present = await trx
    .selectFrom('backup')
    .select('id')
    .where('id', '=', backup.id)
    .where('state', '=', 'complete')
    .executeTakeFirst();
  if (present === undefined) throw refuse(`the backup ${backupName(backup)} has just been deleted.`);
  return { backupId: backup.id, backup: backupName(backup), record: backup.record!, place: plan.to.place };
}
