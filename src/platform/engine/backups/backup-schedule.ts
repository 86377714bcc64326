import type { Db } from '../../store/index.ts';
import { type BackupSchedule, type EngineContext, iso } from '../context.ts';
import { runningStates } from '../running-facts.ts';
import { requestBackup } from './backup-requests.ts';
import { backupsInUse } from './backup-rows.ts';

const hour = 3_600_000;

/** When a failed backup is retried, in milliseconds, unless the next one is due before. */
const retryMilliseconds = hour;

/** How many failed backups of a database are kept; older ones are removed. */
const keptFailures = 10;

/** The databases of a runtime's clusters that should run, and can be backed up. */
const scheduledDatabases = async ({ runtimes }: EngineContext, db: Db, runtime: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('service')
    .innerJoin('environment', 'environment.id', 'service.environment_id')
    .innerJoin('cluster', 'cluster.id', 'environment.cluster_id')
    .select(['service.id', 'service.spec'])
    .where('cluster.runtime', '=', runtime)
    .where('service.kind', '=', 'database')
    .where('service.deployed_spec', 'is not', null)
    .where('service.deployed_state', 'in', runningStates)
    .execute();
  const { backups } = runtimes.named(runtime);
  return rows.filter(({ spec }) => backups?.refusalOf({ spec: JSON.parse(spec) }) === undefined).map(({ id }) => id);
};

/** Whether the next backup of a database is due. An ongoing one counts as the next one. */
async function isDue(db: Db, databaseId: string, { everyHours }: BackupSchedule, now: number): Promise<boolean> {
  const last = await db
    .selectFrom('backup')
    .select(['created_at', 'state'])
    .where('service_id', '=', databaseId)
    .where('state', '<>', 'deleting')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) return true;
  const pause = last.state === 'failed' ? Math.min(retryMilliseconds, everyHours * hour) : everyHours * hour;
  return last.state !== 'ongoing' && now >= Date.parse(last.created_at) + pause;
}

/** Accepts the backups that are due now by their schedules. */
export async function requestScheduledBackups(context: EngineContext, trx: Db): Promise<void> {
  const now = context.clock.now();
  for (const [runtime, schedule] of Object.entries(context.backupSchedules ?? {})) {
    if (schedule === undefined || context.runtimes.named(runtime).backups === undefined) continue;
    for (const id of await scheduledDatabases(context, trx, runtime)) {
      if (await isDue(trx, id, schedule, now))
        await requestBackup(context, trx, id, {
          name: `scheduled ${iso(now).slice(0, 16)}`,
          message: `Every ${schedule.everyHours} hours.`,
          isScheduled: true,
        });
    }
  }
}

/**
 * Marks scheduled backups of a database for deletion if there are more than its cluster keeps, and removes old
 * failures. Requested backups stay.
 */
export async function retireBackups(context: EngineContext, trx: Db, databaseId: string): Promise<void> {
  const cluster = await trx
    .selectFrom('service')
    .innerJoin('environment', 'environment.id', 'service.environment_id')
    .innerJoin('cluster', 'cluster.id', 'environment.cluster_id')
    .select('cluster.runtime')
    .where('service.id', '=', databaseId)
    .executeTakeFirst();
  const keep = context.backupSchedules?.[cluster?.runtime ?? '']?.keep;
  const rows = await trx
    .selectFrom('backup')
    .select(['id', 'state', 'is_scheduled'])
    .where('service_id', '=', databaseId)
    .orderBy('created_at', 'desc')
    .execute();
  const used = await backupsInUse(trx, databaseId);
  const old =
    keep === undefined
      ? []
      : rows
          .filter((row) => row.state === 'complete' && row.is_scheduled === 1)
          .slice(keep)
          .filter(({ id }) => !used.has(id));
  const failed = rows.filter(({ state }) => state === 'failed').slice(keptFailures);
  if (old.length > 0)
    await trx
      .updateTable('backup')
      .set({ state: 'deleting', due_ms: context.clock.now() })
      .where(
        'id',
        'in',
        old.map(({ id }) => id),
      )
      .execute();
  if (failed.length > 0)
    await trx
      .deleteFrom('backup')
      .where(
        'id',
        'in',
        failed.map(({ id }) => id),
      )
      .execute();
}
