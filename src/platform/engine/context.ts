import { type PlatformClock, type PlatformLog, type Random, secondsBetween } from '../common/index.ts';
import type { Runtime, SecondsRange } from '../runtime/index.ts';
import type { DataStore } from '../store/index.ts';

/** The dependencies of the engine's modules. */
export interface EngineContext {
  readonly db: DataStore;
  readonly clock: PlatformClock;
  readonly random: Random;
  readonly runtime: Runtime;
  readonly log: PlatformLog;
  /** Multiplies all durations: 0.05 is twenty times faster, 0 instant. */
  readonly timeScale: number;
  /** Whether to fail a cluster's upgrade; default never. */
  readonly upgradeFails?: (upgrade: Upgrade) => boolean;
}

/** One upgrade of a cluster. */
export interface Upgrade {
  readonly id: string;
  readonly cluster: { readonly id: string; readonly name: string };
}

/** The due time of a row that waits for another one. Whoever ends that one sets the real due time. */
export const blockedDueTime = Number.MAX_SAFE_INTEGER;

/** Formats a time in milliseconds since the epoch for rows and responses: ISO 8601. */
export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** A random duration within the range, in milliseconds under the time scale. The same seed always gives the same duration. */
export const duration = (context: Pick<EngineContext, 'timeScale'>, takes: SecondsRange, seed: string): number =>
  Math.round(secondsBetween(takes, seed) * 1000 * context.timeScale);
