import {
  type PlatformClock,
  type PlatformLog,
  type Random,
  secondsBetween,
  type SecondsRange,
} from '../common/index.ts';
import type { Runtimes } from '../runtime/index.ts';
import type { Prometheus } from './prometheus.ts';
import type { DataStore, Vault } from '../store/index.ts';

/** The total resources that the services of a cluster may hold. An omitted member has no limit. */
export interface ClusterLimits {
  /** In thousandths of a CPU. */
  readonly cpu?: number | undefined;
  /** In MB. */
  readonly memory?: number | undefined;
  /** The number of services. */
  readonly services?: number | undefined;
}

/** The address of an alert receiver. It may contain a secret. */
export interface AlertReceiverAddress {
  readonly kind: 'STANDARD' | 'SLACK';
  readonly url: string;
}

/** How often the databases of a cluster are backed up, and how many of these backups are kept for each. */
export interface BackupSchedule {
  readonly everyHours: number;
  readonly keep: number;
}

/** The dependencies of the engine's modules. */
export interface EngineContext {
  readonly db: DataStore;
  readonly clock: PlatformClock;
  readonly random: Random;
  /** The places where services run, by the runtime of their cluster. */
  readonly runtimes: Runtimes;
  /** The total resources that the services of clusters may hold, by the clusters' runtime; default: no limits. */
  readonly clusterLimits?: Readonly<Record<string, ClusterLimits | undefined>> | undefined;
  /**
   * Evaluates the conditions of alert rules. Without it, only conditions on the platform's own measurements are
   * evaluated.
   */
  readonly prometheus?: Prometheus | undefined;
  /** The addresses of alert receivers, by receiver id. */
  readonly alertReceivers?: Readonly<Record<string, AlertReceiverAddress>> | undefined;
  /** Database backup schedules, keyed by the runtime name of the cluster. Default: only on request. */
  readonly backupSchedules?: Readonly<Record<string, BackupSchedule | undefined>> | undefined;
  /** Whether Helm repositories with addresses of examples have the charts that services use. */
  readonly simulatesCharts?: boolean | undefined;
  /** Opens the sealed secret of a variable or a webhook. */
  readonly openSecret: (sealed: string) => string;
  /** A digest of a text that reveals nothing about it without the key of the platform's secrets. */
  readonly keyedDigest: (text: string) => string;
  readonly log: PlatformLog;
  /** Multiplies the times of alerting and of webhooks: 0.05 is twenty times faster, 0 is instant. */
  readonly timeScale: number;
  /** Whether it replays past deployments, which leave no audit events. */
  readonly isReplay?: true;
}

/** The engine's operations on secrets, which use the vault of the platform. */
export const secretsBy = (vault: Vault): Pick<EngineContext, 'openSecret' | 'keyedDigest'> => ({
  openSecret: (sealed) => vault.open(sealed),
  keyedDigest: (text) => vault.sign(`digest of what is deployed\n${text}`),
});

/** The due time of a row that waits for another one. The code that finishes the other one sets the real due time. */
export const blockedDueTime = Number.MAX_SAFE_INTEGER;

/** Formats a time in milliseconds since the epoch for rows and responses: ISO 8601. */
export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

/**
 * A random duration within the range, in milliseconds under the time scale. The same seed always gives the same
 * duration.
 */
export const duration = (context: Pick<EngineContext, 'timeScale'>, takes: SecondsRange, seed: string): number =>
  Math.round(secondsBetween(takes, seed) * 1000 * context.timeScale);
