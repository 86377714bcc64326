import type { PlatformLog } from '../log.ts';
import type { PlatformClock } from '../clock.ts';
import { type Random, secondsBetween } from '../random.ts';
import type { Runtime, SecondsRange } from '../runtime/runtime.ts';
import type { DataStore } from '../store/database.ts';

/** What the parts of the engine work with. */
export interface EngineContext {
  readonly db: DataStore;
  readonly clock: PlatformClock;
  readonly random: Random;
  readonly runtime: Runtime;
  readonly log: PlatformLog;
  /** Multiplies how long things take: 0.05 is twenty times faster, 0 instant. */
  readonly timeScale: number;
  /** Whether a cluster's upgrade is made to go wrong; never where left out. */
  readonly upgradeFails?: (upgrade: Upgrade) => boolean;
}

/** One upgrade of a cluster. */
export interface Upgrade {
  readonly id: string;
  readonly cluster: { readonly id: string; readonly name: string };
}

/** Due time of what waits for something before it: whoever ends that hands over the turn. */
export const blockedDueTime = Number.MAX_SAFE_INTEGER;

/** A moment as rows and answers write it. */
export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** A random duration within the range, in milliseconds under the time scale. The same seed always gives the same duration. */
export const duration = (context: Pick<EngineContext, 'timeScale'>, takes: SecondsRange, seed: string): number =>
  Math.round(secondsBetween(takes, seed) * 1000 * context.timeScale);
