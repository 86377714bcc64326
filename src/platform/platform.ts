import { createAuthenticate } from './auth.ts';
import { type Clock, systemClock } from './clock.ts';
import { createEngine } from './engine/create-engine.ts';
import { handlers } from './handlers/handlers.ts';
import { createServer } from './http.ts';
import { type PlatformLog, silentLog } from './log.ts';
import { type Random, systemRandom } from './random.ts';
import { createRateLimit } from './rate-limit.ts';
import { createSimulatedRuntime } from './runtime/simulated/simulated-runtime.ts';
import { natureOf } from './scenarios/nature.ts';
import { scenariosNamed } from './scenarios/scenarios.ts';
import { seedPlatform } from './seed/seed.ts';
import { organizationId, seedIds } from './seed/ids.ts';
import { openDatabase } from './store/database.ts';
import { acceptToken, addToken, hasLiveToken } from './tokens.ts';
import { openVault } from './vault.ts';
import { anyAddress, publicOnly } from './webhooks/target.ts';

/** How a platform is to run. */
export interface PlatformOptions {
  /** Directory of its database and key; made where missing. */
  readonly dataDir: string;
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** Port to listen on; 0, the default, takes a free one. */
  readonly port?: number;
  /** A value to accept as an admin token. Without it a new directory gets a new token. */
  readonly token?: string;
  /** Requests a token may make in one window. */
  readonly rateLimit?: number;
  /** Length of that window, in seconds. */
  readonly rateWindowSeconds?: number;
  /** Multiplies all durations: 0.05 is twenty times faster, 0 instant. */
  readonly timeScale?: number;
  /** Whether webhooks may be delivered to private, loopback and link-local addresses. */
  readonly allowPrivateWebhookTargets?: boolean;
  /** Names of failures to put onto the seeded organization, where they are not there yet. */
  readonly scenarios?: readonly string[];
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: PlatformLog;
}

/** A platform that serves. */
export interface RunningPlatform {
  /** Base address, without a slash at its end. */
  readonly url: string;
  /** The token given or made just now; null where the directory has tokens already. */
  readonly token: string | null;
  readonly organizationId: string;
  /** Ids of what the seed made, by the names of the contract's members. */
  readonly seed: Readonly<Record<string, string>>;
  /** Finishes the requests and steps in hand, then stops. What is under way goes on at the next start. */
  close(): Promise<void>;
}

/**
 * Starts the platform of a data directory: migrates and seeds it where needed, takes up the deployments under way and listens.
 * @throws Error when the directory can't be used, the address can't be listened on, or there is no such scenario.
 */
export async function startPlatform(options: PlatformOptions): Promise<RunningPlatform> {
  const { dataDir, clock = systemClock, random = systemRandom, log = silentLog, timeScale = 1 } = options;
  const scenarios = scenariosNamed(options.scenarios ?? []);
  const vault = openVault(dataDir);
  const db = await openDatabase(dataDir);
  const engine = createEngine({
    db, clock, random, log, timeScale,
    runtime: createSimulatedRuntime({ clock, timeScale, nature: natureOf(db) }),
    webhookTargets: options.allowPrivateWebhookTargets ? anyAddress : publicOnly,
    openSecret: (sealed) => vault.open(sealed),
  });
  const server = createServer({
    db, engine, vault, clock, random, log, handlers,
    authenticate: createAuthenticate(db, clock),
    countCall: createRateLimit(clock, options.rateLimit, options.rateWindowSeconds),
  });

  const close = async () => {
    await server.close();
    await engine.stop();
    await db.destroy();
  };

  try {
    await seedPlatform(db, { vault, clock, random }, scenarios);
    const token = await tokenOf();
    const url = await server.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 });
    await engine.start();
    return { url, token, organizationId, seed: seedIds, close };
  } catch (error) {
    await close();
    throw error;
  }

  async function tokenOf(): Promise<string | null> {
    if (options.token !== undefined) {
      await acceptToken(db, 'operator', options.token, { clock, random });
      return options.token;
    }
    return (await hasLiveToken(db, clock)) ? null : addToken(db, { name: 'admin', permission: 'admin' }, { vault, clock, random });
  }
}
