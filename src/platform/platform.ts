import { createTokenAuthenticator } from './api/auth.ts';
import { type PlatformClock, createSteppedClock, systemClock } from './clock.ts';
import { openControl } from './testing/control/control.ts';
import { createFaultRegistry } from './testing/control/faults/registry.ts';
import { addRequestFaults } from './testing/control/faults/request-faults.ts';
import type { FaultRule } from './testing/control/faults/rule.ts';
import { controlPrefix } from './testing/control/server.ts';
import { createStepping } from './testing/control/stepping.ts';
import { createGate } from './api/gate.ts';
import { handlers } from './api/handlers/handlers.ts';
import { createServer } from './api/server.ts';
import { type PlatformLog, silentLog } from './log.ts';
import { type Random, systemRandom } from './random.ts';
import type { Runtime } from './runtime/runtime.ts';
import { scenariosNamed } from './testing/scenarios/scenarios.ts';
import { organizationId, seedIds } from './seed/ids.ts';
import { openDatabase } from './store/database.ts';
import { removeStaleReplacements } from './store/replacement.ts';
import { acceptToken, addToken, hasLiveToken } from './api/tokens.ts';
import { openVault } from './store/vault.ts';
import { createPlatformServices } from './platform-services.ts';

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
  /** What is made to go wrong from the start. */
  readonly faults?: readonly FaultRule[];
  /** Whether time, faults and snapshots can be controlled by requests, with a token of their own. */
  readonly control?: boolean;
  /** Has time stand still, in a new directory at this moment (milliseconds since the epoch), until a control request moves it. */
  readonly steppedTime?: number;
  /** Has services run elsewhere than in the simulation, which it is given. */
  readonly runtime?: (simulated: Runtime) => Runtime;
  /** Makes ids and chance the same from one new directory to the next. */
  readonly randomSeed?: string;
  readonly clock?: PlatformClock;
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
  /** Where it can be controlled, and with which token; absent where it can't. */
  readonly control?: { readonly url: string; readonly token: string };
  /** Finishes the requests and steps in hand, then stops. What is under way goes on at the next start. */
  close(): Promise<void>;
}

/**
 * Starts the platform of a data directory: migrates and seeds it where needed, takes up the deployments under way and listens.
 * @throws Error when the directory can't be used, the address can't be listened on, or there is no such scenario.
 */
export async function startPlatform(options: PlatformOptions): Promise<RunningPlatform> {
  const { dataDir, random = systemRandom, log = silentLog, timeScale = 1, steppedTime } = options;
  const scenarios = scenariosNamed(options.scenarios ?? []);
  const vault = openVault(dataDir);
  const db = await openDatabase(dataDir);
  const stepped = steppedTime === undefined ? undefined : { clock: createSteppedClock(steppedTime), start: steppedTime };
  const clock = stepped?.clock ?? options.clock ?? systemClock;
  const callersClock = stepped ? systemClock : clock;
  const faults = createFaultRegistry(options.faults ?? [], '');
  const work = createPlatformServices({ ...options, dataDir, db, vault, clock, callersClock, stepped, random, faults, scenarios, timeScale, log });
  const gate = createGate();
  const stepping = stepped && createStepping({ db, clock: stepped.clock, settled: () => work.current().engine.settled() });
  const control = options.control ? await openControl({ dataDir, vault, clock, timeScale, stepping, faults, gate, services: work, log }) : undefined;
  const server = createServer({
    db, vault, clock, log, handlers,
    get engine() {
      return work.current().engine;
    },
    get random() {
      return work.current().random;
    },
    authenticate: createTokenAuthenticator(db, clock, log),
    countCall: (caller) => work.current().countCall(caller),
    extend: (app) => {
      if (control) gate.install(app);
      if (control || faults.list().length > 0) addRequestFaults(app, { registry: faults, clock: callersClock });
    },
    divert: control?.divert,
  });

  const close = async () => {
    stepping?.close();
    await server.close();
    await control?.close();
    await work.stop();
    await db.destroy();
  };

  try {
    await removeStaleReplacements(dataDir);
    await work.start();
    const token = await tokenOf();
    const url = await server.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 });
    await work.current().engine.start();
    return { url, token, organizationId, seed: seedIds, ...(control && { control: { url: `${url}${controlPrefix}`, token: control.token } }), close };
  } catch (error) {
    await close();
    throw error;
  }

  async function tokenOf(): Promise<string | null> {
    // Not by the work's chance: what that draws must not depend on whether a token had to be made.
    const sources = { vault, clock, random };
    if (options.token !== undefined) {
      await acceptToken(db, 'operator', options.token, sources);
      return options.token;
    }
    return (await hasLiveToken(db, clock)) ? null : addToken(db, { name: 'admin', permission: 'admin' }, sources);
  }
}
