import type { Config } from '../config/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import { type PlatformOptions, type RunningPlatform, startPlatform } from '../../platform/index.ts';
import type { DataDirClaim } from './data-dir-claim.ts';
import { recordsPlaceOf } from './records-place.ts';

/** A platform served by this process. Other processes find it through its data directory. */
export interface EmbeddedPlatform {
  readonly platform: RunningPlatform;
  close(): Promise<void>;
}

/**
 * Starts the platform of a claimed data directory and publishes its URL for other processes. The claim is released when the
 * platform closes, or if it can't be started.
 * @param overrides options that are not part of the configuration.
 */
export async function startEmbeddedPlatform(claim: DataDirClaim, config: Config, log: ServerLogger, overrides: Partial<PlatformOptions> = {}): Promise<EmbeddedPlatform> {
  const { rateLimit, rateWindow, timeScale, allowPrivateWebhookTargets, scenario } = config;
  try {
    const platform = await startPlatform({
      ...recordsPlaceOf(config), rateLimit, rateWindowSeconds: rateWindow, timeScale, allowPrivateWebhookTargets, scenarios: scenario, log, ...overrides,
    });
    await claim.publish(platform.url);
    return {
      platform,
      close: async () => {
        await platform.close();
        await claim.release();
      },
    };
  } catch (error) {
    await claim.release();
    throw error;
  }
}
