import type { Config } from '../config/read-config.ts';
import type { ServerLogger } from '../../server/context/call-context.ts';
import { type PlatformOptions, type RunningPlatform, startPlatform } from '../../platform/platform.ts';
import type { DataDirClaim } from './data-dir-claim.ts';

/** A platform that this process serves, findable by others through its data directory. */
export interface EmbeddedPlatform {
  readonly platform: RunningPlatform;
  close(): Promise<void>;
}

/**
 * Starts the platform of a claimed data directory as configured, and tells the other processes where it is.
 * The claim is released with it, also when it can't be started.
 * @param given what the configuration doesn't say.
 */
export async function startEmbeddedPlatform(claimed: DataDirClaim, config: Config, log: ServerLogger, given: Partial<PlatformOptions> = {}): Promise<EmbeddedPlatform> {
  const { dataDir, rateLimit, rateWindow, timeScale, allowPrivateWebhookTargets, scenario } = config;
  try {
    const platform = await startPlatform({
      dataDir, rateLimit, rateWindowSeconds: rateWindow, timeScale, allowPrivateWebhookTargets, scenarios: scenario, log, ...given,
    });
    await claimed.publish(platform.url);
    return {
      platform,
      close: async () => {
        await platform.close();
        await claimed.release();
      },
    };
  } catch (error) {
    await claimed.release();
    throw error;
  }
}
