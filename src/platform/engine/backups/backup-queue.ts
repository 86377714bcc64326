import type { Updateable } from 'kysely';
import { condition, readCondition, storedCondition } from '../../../contract/index.ts';
import { errorMessage } from '../../common/index.ts';
import {
  conditionBehind,
  RuntimeUnreachable,
  type BackupObservation,
  type DatabaseBackups,
  type RunningDatabase,
} from '../../runtime/index.ts';
import { type BackupTable, RecordsUnavailable } from '../../store/index.ts';
import { type EngineContext, iso } from '../context.ts';
import { databaseCredentials } from '../database-variables.ts';
import { LeaderLockLost, type LeaderLocks, type LeaderLock } from '../leader-locks.ts';
import type { WorkQueue } from '../worker.ts';
import type { BackupRow } from './backup.ts';
import { backupsOf, backupTask, newestBackup, runningDatabase } from './backup-rows.ts';
import { requestScheduledBackups, retireBackups } from './backup-schedule.ts';

/** How often to check whether a schedule requires a backup, in milliseconds. */
const scheduleMilliseconds = 60_000;

/**
 * How long to wait before retrying if a cluster is unreachable, or while another process does the work, in
 * milliseconds.
 */
const laterMilliseconds = 5000;

/** How long to wait before retrying if the operator must act, in milliseconds. */
const operatorMilliseconds = 60_000;

/** The item for checking the schedules, among items that are ids of backups. */
const schedules = 'schedules';

/** A backup with everything that is needed to continue it. */
interface BackupWork {
  readonly row: BackupRow;
  readonly database: RunningDatabase | undefined;
  readonly backups: DatabaseBackups | undefined;
  readonly latest: BackupRow | undefined;
}

/** The queue that creates and deletes backups, and starts scheduled ones. One process does so at a time. */
export function backupQueue(context: EngineContext, leaderLocks: LeaderLocks): WorkQueue {
  const { db, clock, openSecret, log } = context;
  const hasSchedules = Object.values(context.backupSchedules ?? {}).some((schedule) => schedule !== undefined);
  let scheduleDue = clock.now();
  /** Until when this process leaves the work to another one. */
  let restUntil = 0;

  const read = (id: string): Promise<BackupWork | undefined> =>
    db.read(async (trx) => {
      const row = await trx.selectFrom('backup').selectAll().where('id', '=', id).executeTakeFirst();
      if (row === undefined) return undefined;
      const service = await trx
        .selectFrom('service')
        .selectAll()
        .where('id', '=', row.service_id)
        .executeTakeFirstOrThrow();
      return {
        row,
        database: runningDatabase(service),
        backups: await backupsOf(context, trx, service),
        latest: await newestBackup(trx, service.id, id),
      };
    });

  const save = (
    leaderLock: LeaderLock,
    { id, state, service_id: serviceId }: BackupRow,
    change: Updateable<BackupTable>,
  ): Promise<void> =>
    leaderLock.write(async (trx) => {
      await trx.updateTable('backup').set(change).where('id', '=', id).where('state', '=', state).execute();
      if (change.state !== undefined) await retireBackups(context, trx, serviceId);
    });

  const changeBy = (seen: BackupObservation): Updateable<BackupTable> => {
    if (seen.outcome === 'ongoing')
      return { due_ms: seen.nextPollAt, ...(seen.record !== undefined && { record: seen.record }) };
    const ended = { ended_at: iso(clock.now()), due_ms: null };
    if (seen.outcome === 'failed') return { ...ended, state: 'failed', reason: storedCondition(seen.why) };
    return { ...ended, state: 'complete', record: seen.record, node: seen.node, bytes: seen.bytes ?? null };
  };

  const make = async (
    { row, database, backups, latest }: BackupWork,
    signal: AbortSignal,
  ): Promise<Updateable<BackupTable>> => {
    if (database === undefined || backups === undefined)
      return changeBy({ outcome: 'failed', why: condition('BACKUP_IMPOSSIBLE', {}) });
    return changeBy(
      await backups.observe(backupTask(row, database, latest), {
        signal,
        credentials: () => db.read((trx) => databaseCredentials(trx, database.service, openSecret)),
      }),
    );
  };

  /** Continues to delete a backup. @returns the changes to save; undefined once it is deleted */
  const remove = async (
    leaderLock: LeaderLock,
    { row, database, backups, latest }: BackupWork,
    signal: AbortSignal,
  ): Promise<Updateable<BackupTable> | undefined> => {
    // A backup that never started to be stored has left nothing.
    if (row.record !== null) {
      if (database === undefined || backups === undefined) {
        const why = condition('BACKUP_KEPT', {});
        // Logged once, although it is retried many times.
        if (row.reason === null || readCondition(row.reason).reason !== why.reason)
          log.warn(
            { backup_id: row.id, service_id: row.service_id, reason: why.message },
            'a backup could not be deleted',
          );
        return { due_ms: clock.now() + operatorMilliseconds, reason: storedCondition(why) };
      }
      const seen = await backups.remove(backupTask(row, database, latest), signal);
      if (seen.outcome === 'ongoing')
        return { due_ms: seen.nextPollAt, reason: seen.why ? storedCondition(seen.why) : null };
    }
    await leaderLock.write((trx) =>
      trx.deleteFrom('backup').where('id', '=', row.id).where('state', '=', 'deleting').execute(),
    );
    return undefined;
  };

  const advance = async (leaderLock: LeaderLock, id: string, signal: AbortSignal): Promise<void> => {
    const work = await read(id);
    if (work === undefined) return;
    const isMade = work.row.state === 'ongoing';
    try {
      const change = isMade ? await make(work, signal) : await remove(leaderLock, work, signal);
      if (change !== undefined) await save(leaderLock, work.row, change);
    } catch (error) {
      if (signal.aborted || error instanceof RecordsUnavailable || error instanceof LeaderLockLost) throw error;
      if (!(error instanceof RuntimeUnreachable))
        log.error({ err: error, backup_id: id }, 'the runtime failed during a backup');
      const why = conditionBehind(error) ?? condition('BACKUP_FAILED', { said: errorMessage(error) });
      const ends = isMade && !(error instanceof RuntimeUnreachable);
      await save(
        leaderLock,
        work.row,
        ends
          ? changeBy({ outcome: 'failed', why })
          : { due_ms: clock.now() + laterMilliseconds, ...(!isMade && { reason: storedCondition(why) }) },
      );
    }
  };

  return {
    name: 'backups',
    concurrency: 4,
    claimDue: async (_lease, inProgress, limit) => {
      const now = clock.now();
      if (now < restUntil) return [];
      const rows = await db
        .selectFrom('backup')
        .select('id')
        .where('due_ms', '<=', now)
        .orderBy('due_ms')
        .limit(limit + inProgress.length)
        .execute();
      return [...(hasSchedules && scheduleDue <= now ? [schedules] : []), ...rows.map(({ id }) => id)].filter(
        (id) => !inProgress.includes(id),
      );
    },
    run: async (id, _lease, signal) => {
      const leaderLock = await leaderLocks.take('backing up databases');
      if (leaderLock === undefined) {
        restUntil = clock.now() + laterMilliseconds;
        return;
      }
      try {
        if (id === schedules) {
          await leaderLock.write((trx) => requestScheduledBackups(context, trx));
          scheduleDue = clock.now() + scheduleMilliseconds;
        } else await advance(leaderLock, id, signal);
      } catch (error) {
        // The worker that has taken the lock continues.
        if (!(error instanceof LeaderLockLost)) throw error;
      }
    },
    nextDue: async (_lease, inProgress) => {
      const rows = await db
        .selectFrom('backup')
        .select(['id', 'due_ms'])
        .where('due_ms', 'is not', null)
        .orderBy('due_ms')
        .limit(inProgress.length + 1)
        .execute();
      const due = [
        ...rows.filter((row) => !inProgress.includes(row.id)).map((row) => row.due_ms!),
        ...(hasSchedules && !inProgress.includes(schedules) ? [scheduleDue] : []),
      ];
      return due.length === 0 ? null : Math.max(restUntil, Math.min(...due));
    },
    hasClaims: () => leaderLocks.hasAny(),
  };
}
