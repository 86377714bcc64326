import type { Condition } from '../../contract/index.ts';
import type { RunningVersion } from './running-service.ts';
import type { DatabaseCredentials, ServiceToRun } from './task.ts';

/** A database with a version that runs, or should run. */
export type RunningDatabase = RunningVersion & { readonly service: Extract<ServiceToRun, { kind: 'database' }> };

/** A backup to create or delete. */
export interface BackupTask {
  readonly id: string;
  readonly database: RunningDatabase;
  /** The latest record of it. */
  readonly record?: string;
  /** The record of the newest complete backup of the database. */
  readonly latestRecord?: string;
  /** When it was requested, in milliseconds since the epoch. */
  readonly beganAt: number;
}

/** Functions and a signal for a runtime that creates a backup. */
export interface BackupCall {
  /** Reads the credentials of the database. They are secret. */
  readonly credentials: () => Promise<DatabaseCredentials>;
  readonly signal: AbortSignal;
}

/** The progress of a backup. Times are in milliseconds since the epoch. */
export type BackupObservation =
  | { readonly outcome: 'ongoing'; readonly nextPollAt: number; readonly record?: string }
  | { readonly outcome: 'succeeded'; readonly record: string; readonly node: string; readonly bytes?: number }
  | { readonly outcome: 'failed'; readonly why: Condition };

/** The progress of a deletion, and what prevents it from continuing. */
export type BackupDeletion =
  | { readonly outcome: 'succeeded' }
  | { readonly outcome: 'ongoing'; readonly nextPollAt: number; readonly why?: Condition };

/** The effects of restoring a database. */
export interface RecoveryPlan {
  /** The machine that has the data now and, if it is lost, a text about that to follow its name. */
  readonly node: string;
  readonly lost?: string;
  /** Where it would run: a text, and the `place` of a restoration. Absent if refused. */
  readonly to?: { readonly node: string; readonly place: string };
  /** The volume that has the data now, and stays as it is. */
  readonly oldVolume: string;
  /** Why it can't be restored, as sentences with what to do instead. */
  readonly refusal?: string;
  /** Why waiting is worthwhile: the machine may come back with all data. */
  readonly mayComeBack?: string;
}

/** Why databases of other types than PostgreSQL aren't backed up; undefined for those that are. */
export const onlyPostgres = ({
  spec: { type, mode },
}: Pick<RunningDatabase['service'], 'spec'>): string | undefined => {
  if (mode === 'MANAGED')
    return 'its cloud runs it: whether there are backups is known there, and not looked at from here.';
  return type === 'POSTGRESQL'
    ? undefined
    : `only databases of type POSTGRESQL are backed up here, and this is a ${type}. Use its own tools.`;
};

/** Backups of databases. Like those of tasks, its methods can be called again after a crash, and then continue. */
export interface DatabaseBackups {
  /** Why such databases aren't backed up, as text; undefined if they are. */
  refusalOf(database: Pick<RunningDatabase['service'], 'spec'>): string | undefined;
  /** Starts a backup if it hasn't started, and reports its progress. */
  observe(task: BackupTask, call: BackupCall): Promise<BackupObservation>;
  /** Deletes the stored data of a backup, and reports the progress. */
  remove(task: BackupTask, signal: AbortSignal): Promise<BackupDeletion>;
  /**
   * Determines the effects of restoring a database from a complete backup now.
   * @throws Error with a readable reason if that isn't possible
   */
  plan(database: RunningDatabase, backupRecord: string, signal: AbortSignal): Promise<RecoveryPlan>;
}
