import {
  type PlatformClock,
  type PlatformLog,
  type Random,
  secondsBetween,
  type SecondsRange,
} from '../common/index.ts';
import type { Runtimes } from '../runtime/index.ts';
import type { Prometheus } from './prometheus.ts';
import type { DataStore } from '../store/index.ts';

/** What the services of a cluster may hold altogether. What is left out has no limit. */
export interface ClusterLimits {
  /** In thousandths of a CPU. */
  readonly cpu?: number | undefined;
  /** In MB. */
  readonly memory?: number | undefined;
  /** How many there may be. */
  readonly services?: number | undefined;
}

/** Where a receiver of alerts is told. The address may hold a secret. */
export interface AlertReceiverAddress {
  readonly kind: 'STANDARD' | 'SLACK';
  readonly url: string;
}

/** How often the databases of a cluster are backed up, and how many of these backups are kept of each. */
export interface BackupSchedule {
  readonly everyHours: number;
  readonly keep: number;
}

/** The dependencies of the engine's modules. */
export interface EngineContext {
  readonly db: DataStore;
  readonly clock: PlatformClock;
  readonly random: Random;
  /** Where services run, by the runtime of their cluster. */
  readonly runtimes: Runtimes;
  /** What the services of clusters may hold altogether, by the runtimes of the clusters; default: no limits. */
  readonly clusterLimits?: Readonly<Record<string, ClusterLimits | undefined>> | undefined;
  /** What evaluates the conditions of alert rules; without one, only those about what the platform measures are. */
  readonly prometheus?: Prometheus | undefined;
  /** Where receivers of alerts are told, by their ids. */
  readonly alertReceivers?: Readonly<Record<string, AlertReceiverAddress>> | undefined;
  /** When the databases of clusters are backed up, by the runtimes of the clusters; default: only on request. */
  readonly backupSchedules?: Readonly<Record<string, BackupSchedule | undefined>> | undefined;
  /** Opens a sealed secret: of a variable, of a webhook. */
  readonly openSecret: (sealed: string) => string;
  readonly log: PlatformLog;
  /** Multiplies the times of alerting and of webhooks: 0.05 is twenty times faster, 0 instant. */
  readonly timeScale: number;
  /** Whether it carries out deployments of the past, which leave no audit events. */
  readonly isReplay?: true;
}

/** The due time of a row that waits for another one. Whoever ends that one sets the real due time. */
export const blockedDueTime = Number.MAX_SAFE_INTEGER;

/** Formats a time in milliseconds since the epoch for rows and responses: ISO 8601. */
export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

/**
 * A random duration within the range, in milliseconds under the time scale. The same seed always gives the same
 * duration.
 */
export const duration = (context: Pick<EngineContext, 'timeScale'>, takes: SecondsRange, seed: string): number =>
  Math.round(secondsBetween(takes, seed) * 1000 * context.timeScale);
