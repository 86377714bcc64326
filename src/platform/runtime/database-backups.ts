import type { Condition } from '../../contract/index.ts';
import type { RunningVersion } from './running-service.ts';
import type { DatabaseCredentials, ServiceToRun } from './task.ts';

/** A database whose version runs, or should run. */
export type RunningDatabase = RunningVersion & { readonly service: Extract<ServiceToRun, { kind: 'database' }> };

/** A backup to be made or deleted. */
export interface BackupTask {
  readonly id: string;
  readonly database: RunningDatabase;
  /** What was recorded of it before. */
  readonly record?: string;
  /** Where the newest complete backup of the database is, as recorded. */
  readonly latestRecord?: string;
  /** When it was asked for, in milliseconds since the epoch. */
  readonly beganAt: number;
}

/** What a runtime can ask for while it makes a backup. */
export interface BackupCall {
  /** Reads what the database lets others in by. It is a secret. */
  readonly credentials: () => Promise<DatabaseCredentials>;
  readonly signal: AbortSignal;
}

/** The progress of a backup. Times are in milliseconds since the epoch. */
export type BackupObservation =
  | { readonly outcome: 'ongoing'; readonly nextPollAt: number; readonly record?: string }
  | { readonly outcome: 'succeeded'; readonly record: string; readonly node: string; readonly bytes?: number }
  | { readonly outcome: 'failed'; readonly why: Condition };

/** How far a deletion is, and what keeps it from going on. */
export type BackupDeletion =
  | { readonly outcome: 'succeeded' }
  | { readonly outcome: 'ongoing'; readonly nextPollAt: number; readonly why?: Condition };

/** What bringing a database back would do. */
export interface RecoveryPlan {
  /** The machine that has the data now and, if it is lost, words for that which follow its name. */
  readonly node: string;
  readonly lost?: string;
  /** Where it would run: words, and the `place` of a restoration. Absent if it is refused. */
  readonly to?: { readonly node: string; readonly place: string };
  /** What has the data now, and stays as it is. */
  readonly oldVolume: string;
  /** Why it can't be brought back, as sentences with what to do instead. */
  readonly refusal?: string;
  /** Why it is worth waiting: the machine may come back with all data. */
  readonly mayComeBack?: string;
}

/** Why databases of other types than PostgreSQL aren't backed up; undefined for those that are. */
export const onlyPostgres = ({
  spec: { type, mode },
}: Pick<RunningDatabase['service'], 'spec'>): string | undefined => {
  if (mode === 'MANAGED') return 'its cloud backs it up.';
  return type === 'POSTGRESQL'
    ? undefined
    : `only databases of type POSTGRESQL are backed up here, and this is a ${type}. Use its own tools.`;
};

/** Backups of databases. Like those of tasks, its methods can be called again after a crash, and then continue. */
export interface DatabaseBackups {
  /** Why such databases aren't backed up, in words; undefined if they are. */
  refusalOf(database: Pick<RunningDatabase['service'], 'spec'>): string | undefined;
  /** Begins a backup unless it has begun, and reports how far it is. */
  observe(task: BackupTask, call: BackupCall): Promise<BackupObservation>;
  /** Deletes what a backup has stored, and reports how far that is. */
  remove(task: BackupTask, signal: AbortSignal): Promise<BackupDeletion>;
  /**
   * What bringing a database back from a complete backup would do now.
   * @throws Error with the reason, for people, if that can't be told
   */
  plan(database: RunningDatabase, backupRecord: string, signal: AbortSignal): Promise<RecoveryPlan>;
}
