import {
  acceptToken,
  addToken,
  createGate,
  createServer,
  createTokenAuthenticator,
  handlers,
  hasLiveToken,
} from './api/index.ts';
import {
  type PlatformClock,
  createSteppedClock,
  type PlatformLog,
  silentLog,
  type Random,
  systemRandom,
} from './common/index.ts';
import {
  addRequestFaults,
  controlPrefix,
  createFaultRegistry,
  createStepping,
  openControl,
  rulesInMemory,
  rulesInRecords,
  scenariosNamed,
  type FaultRule,
} from './testing/index.ts';
import type { EngineStatistics } from './engine/index.ts';
import type { Runtime } from './runtime/index.ts';
import { hasExamples, organizationId, seedIds } from './seed/index.ts';
import { openDatabase, openVault, type RecordsPlace, removeStaleReplacements } from './store/index.ts';
import { createPlatformServices } from './platform-services.ts';
import type { RealClusters } from './real-clusters.ts';

/** Options of `startPlatform`. Missing directories are created. */
export interface PlatformOptions extends RecordsPlace {
  /** The address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** The port to listen on; default 0, which picks a free one. */
  readonly port?: number;
  /** A value to accept as an admin token. Without it, a new directory gets a new token. */
  readonly token?: string;
  /** How many requests a token may make per window. */
  readonly rateLimit?: number;
  /** The length of that window, in seconds. */
  readonly rateWindowSeconds?: number;
  /** Multiplies all durations: 0.05 is twenty times faster, 0 is instant. */
  readonly timeScale?: number;
  /** Whether webhooks may be delivered to private, loopback and link-local addresses. */
  readonly allowPrivateWebhookTargets?: boolean;
  /** Names of the failure scenarios to apply to the seeded organization, unless it already has them. */
  readonly scenarios?: readonly string[];
  /** Fault rules in force from the start. */
  readonly faults?: readonly FaultRule[];
  /** Whether to serve the control endpoints for time, faults and snapshots, with a separate token. */
  readonly control?: boolean;
  /**
   * Stops time until a control request advances it. In a new directory it starts here, in milliseconds since the epoch.
   */
  readonly steppedTime?: number;
  /** Returns the runtime to use in place of the simulated one, which it receives. */
  readonly runtime?: (simulated: Runtime) => Runtime;
  /** The real clusters. With any, a new directory gets an organization without examples. */
  readonly realClusters?: RealClusters;
  /** Makes ids and random numbers reproducible from one new directory to the next. */
  readonly randomSeed?: string;
  readonly clock?: PlatformClock;
  readonly random?: Random;
  readonly log?: PlatformLog;
}

/** A platform that accepts requests. */
export interface RunningPlatform {
  /** The base URL, without a trailing slash. */
  readonly url: string;
  /** The token from the options, or a new one; null if the directory already has tokens. */
  readonly token: string | null;
  readonly organizationId: string;
  /** Ids of seeded resources, by the contract's member names. Empty if the organization came without examples. */
  readonly seed: Readonly<Record<string, string>>;
  /** The URL and token of the control endpoints, if they are served. */
  readonly control?: { readonly url: string; readonly token: string };
  /** The current work of the engine. @throws Error before it runs, or if the records can't be read */
  statistics(): Promise<EngineStatistics>;
  /**
   * Resolves, with the reason, if the platform can't continue because a newer version has changed its records. The
   * caller then closes it.
   */
  readonly unusable: Promise<Error>;
  /** Stops after the pending requests and steps. Deployments under way resume at the next start. */
  close(): Promise<void>;
}

/**
 * Starts the platform of a data directory: migrates and seeds it if needed, resumes the deployments under way, and
 * listens.
 * @throws Error if the directory can't be used, the server can't listen on the address, or a scenario doesn't exist
 */
export async function startPlatform(options: PlatformOptions): Promise<RunningPlatform> {
  const {
    dataDir,
    keysDir = dataDir,
    random = systemRandom,
    log = silentLog,
    timeScale = 1,
    steppedTime,
    openRecords = () => openDatabase(dataDir),
  } = options;
  const scenarios = scenariosNamed(options.scenarios ?? []);
  const vault = openVault(keysDir);
  const db = await openRecords();
  const stepped =
    steppedTime === undefined ? undefined : { clock: createSteppedClock(steppedTime), start: steppedTime };
  const clock = stepped?.clock ?? options.clock ?? db.clock;
  const callersClock = stepped ? db.clock : clock;
  const rules = options.faults ?? [];
  const faults = createFaultRegistry(
    db.isShared ? rulesInRecords(db, rules, options.control ?? false) : rulesInMemory(rules),
  );
  const services = createPlatformServices({
    ...options,
    keysDir,
    db,
    vault,
    clock,
    callersClock,
    stepped,
    random,
    faults,
    scenarios,
    timeScale,
    log,
  });
  const gate = createGate();
  const stepping =
    stepped && createStepping({ db, clock: stepped.clock, settled: () => services.current().engine.settled() });
  const control = options.control
    ? await openControl({
        dataDir,
        isShared: db.isShared,
        vault,
        clock,
        timeScale,
        stepping,
        faults,
        gate,
        services,
        log,
      })
    : undefined;
  const server = createServer({
    db,
    vault,
    clock,
    log,
    handlers,
    get engine() {
      return services.current().engine;
    },
    get random() {
      return services.current().random;
    },
    authenticate: createTokenAuthenticator(db, clock, log),
    countCall: (caller) => services.current().countCall(caller),
    extend: (app) => {
      if (control) gate.install(app);
      if (control || rules.length > 0 || db.isShared) addRequestFaults(app, { registry: faults, clock: callersClock });
    },
    servesMetrics: options.realClusters?.prometheus !== undefined,
    divert: control?.divert,
  });

  const close = async () => {
    stepping?.close();
    faults.close();
    await server.close();
    await control?.close();
    try {
      await services.stop();
    } finally {
      await db.destroy();
    }
  };

  try {
    if (!db.isShared) await removeStaleReplacements(dataDir);
    const token = await db.alone('start', async () => {
      await services.start();
      return tokenOf();
    });
    const url = await server.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 });
    await services.current().engine.start();
    return {
      url,
      token,
      organizationId,
      seed: (await hasExamples(db)) ? seedIds : {},
      ...(control && { control: { url: `${url}${controlPrefix}`, token: control.token } }),
      statistics: () => services.current().engine.statistics(db),
      unusable: db.unusable,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }

  async function tokenOf(): Promise<string | null> {
    // Not the services' random source: its sequence must not depend on whether a token was created.
    const dependencies = { vault, clock, random };
    if (options.token !== undefined) {
      await acceptToken(db, 'operator', options.token, dependencies);
      return options.token;
    }
    return (await hasLiveToken(db, clock)) ? null : addToken(db, { name: 'admin', permission: 'admin' }, dependencies);
  }
}
