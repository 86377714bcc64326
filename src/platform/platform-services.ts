import {
  type PlatformClock,
  type PlatformLog,
  type Random,
  seededRandom,
  type SteppedClock,
  systemClock,
} from './common/index.ts';
import {
  applyScenario,
  readSteppedTime,
  saveSteppedTime,
  simulationContextOf,
  stepFaults,
  type FaultRegistry,
  type Scenario,
} from './testing/index.ts';
import {
  addMissingDatabaseVariables,
  anyAddress,
  createEngine,
  createPrometheus,
  publicOnly,
  sealTargets,
  secretsBy,
  type Engine,
} from './engine/index.ts';
import {
  requireMatchingKey,
  type Vault,
  type Db,
  openDatabase,
  type DataStore,
  readSetting,
  writeSetting,
} from './store/index.ts';
import { createRateLimiter, type RateLimiter } from './api/index.ts';
import { engineRateLimit } from '../contract/index.ts';
import { type Runtime, runtimesOf, simulatedRuntimeName } from './runtime/index.ts';
import { createSimulatedRuntime } from './runtime/simulated/index.ts';
import { addAlerts, seedEmptyOrganization, seedPlatform } from './seed/index.ts';
import {
  backupSchedules,
  limitsByRuntime,
  openRealClusters,
  receiverAddresses,
  type RealClusters,
} from './real-clusters.ts';

/** The dependencies of a platform's services. */
export interface PlatformServicesDependencies {
  /** The directory of the vault's key. */
  readonly keysDir: string;
  readonly db: DataStore;
  readonly vault: Vault;
  readonly clock: PlatformClock;
  /** The callers' time, used for rate limits. It passes even where the platform's clock is stepped. */
  readonly callersClock: PlatformClock;
  /** A stepped clock and its initial time, in milliseconds since the epoch. */
  readonly stepped?: { readonly clock: SteppedClock; readonly start: number } | undefined;
  readonly random: Random;
  /** Makes random numbers and ids reproducible from one new data directory to the next. */
  readonly randomSeed?: string | undefined;
  readonly faults: FaultRegistry;
  readonly scenarios: readonly Scenario[];
  readonly timeScale: number;
  readonly rateLimit?: number | undefined;
  readonly rateWindowSeconds?: number | undefined;
  readonly allowPrivateWebhookTargets?: boolean | undefined;
  /** Returns the runtime to use in place of the simulated one, which it receives. */
  readonly runtime?: ((simulated: Runtime) => Runtime) | undefined;
  /** The real clusters. With any, an empty store gets an organization without examples. */
  readonly realClusters?: RealClusters | undefined;
  readonly log: PlatformLog;
}

/** The services that work on the records. Replacing the records creates new ones. */
interface RunningServices {
  readonly engine: Engine;
  /** Those of real clusters. */
  readonly runtimes: readonly Runtime[];
  readonly random: Random;
  readonly countCall: RateLimiter;
}

/** The services that work on the records. They can be stopped and started as one unit. */
export interface PlatformServices {
  /**
   * The running services.
   * @throws Error before the first start
   */
  readonly current: () => RunningServices;
  /**
   * Creates the services on the current records, after seeding them if needed.
   * @throws Error if the vault's key is not the one that sealed the records
   */
  readonly start: () => Promise<void>;
  /** Stops the running services, if any. */
  readonly stop: () => Promise<void>;
  /** Creates a database in another, empty directory and seeds it like that of a new platform. */
  readonly seedDirectory: (directory: string) => Promise<void>;
}

const isEmpty = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('organization').select('id').limit(1).executeTakeFirst()) === undefined;

/** Counts the starts on these records, including this one. */
const countStart = async (db: Db): Promise<number> => {
  const starts = Number((await readSetting(db, 'starts')) ?? 0) + 1;
  await writeSetting(db, 'starts', String(starts));
  return starts;
};

/** Creates the services of a data directory. None of them is started. */
export function createPlatformServices(dependencies: PlatformServicesDependencies): PlatformServices {
  const { keysDir, db, vault, clock, stepped, random, randomSeed, faults, scenarios, timeScale, log } = dependencies;
  const { runtime = (each) => each, realClusters } = dependencies;
  let running: RunningServices | undefined;

  // Each start has its own random source: ids from an earlier start must not repeat.
  const randomFor = (start: number, purpose: string): Random =>
    randomSeed === undefined ? random : seededRandom(`${randomSeed}/${start}/${purpose}`);

  /**
   * Resumes a stepped clock at its stored time. If the records were not stepped before, it starts no earlier than now.
   */
  const restoreSteppedTime = async (): Promise<void> => {
    if (!stepped) return;
    const moment =
      (await readSteppedTime(db)) ?? ((await isEmpty(db)) ? stepped.start : Math.max(stepped.start, systemClock.now()));
    await saveSteppedTime(db, moment);
    stepped.clock.moveTo(moment);
  };

  /** Seeds a store and applies the scenarios to it. Skips what it already has. */
  const seed = async (store: DataStore, seedClock: PlatformClock, start: number): Promise<void> => {
    if (realClusters) await seedEmptyOrganization(store, new Date(seedClock.now()).toISOString());
    const seedDependencies = { vault, clock: seedClock, random: randomFor(start, 'seed') };
    await seedPlatform(store, seedDependencies);
    for (const scenario of scenarios) await applyScenario(store, seedDependencies, scenario);
    await store.write((trx) => addMissingDatabaseVariables(trx, vault));
  };

  const simulated = (): Runtime =>
    createSimulatedRuntime({
      clock,
      timeScale,
      simulation: simulationContextOf(db),
      faults: stepFaults(faults),
      upgradeFails: async (upgrade) => (await faults.forUpgrade(upgrade)) !== undefined,
    });

  return {
    current: () => {
      if (!running) throw new Error('The services of the platform have not been started.');
      return running;
    },
    start: async () => {
      await requireMatchingKey(db, vault, keysDir);
      await sealTargets(db, vault);
      await restoreSteppedTime();
      // Changes from now on have audit events; those by earlier versions have none.
      if ((await readSetting(db, 'events_since')) === undefined)
        await writeSetting(db, 'events_since', new Date(clock.now()).toISOString());
      const start = randomSeed === undefined ? 0 : await countStart(db);
      await faults.start(randomSeed === undefined ? random.uuid() : `${randomSeed}/${start}`);
      const inForce = db.isShared ? await faults.list() : [];
      if (inForce.length > 0)
        log.warn(
          { rules: inForce.map(({ name }) => name) },
          'the records contain fault rules, which make requests and deployments fail in all processes until a control request removes them',
        );
      await seed(db, clock, start);
      const servicesRandom = randomFor(start, 'work');
      const real = realClusters
        ? await openRealClusters(db, realClusters, { clock, random: servicesRandom, vault })
        : {};
      running = {
        random: servicesRandom,
        runtimes: Object.values(real),
        countCall: createRateLimiter(
          db.callWindows,
          dependencies.callersClock,
          dependencies.rateLimit ?? (realClusters && engineRateLimit),
          dependencies.rateWindowSeconds,
        ),
        engine: createEngine({
          db,
          clock,
          random: servicesRandom,
          log,
          timeScale,
          runtimes: runtimesOf({ [simulatedRuntimeName]: runtime(simulated()), ...real }),
          alertReceivers: realClusters && receiverAddresses(realClusters),
          prometheus: realClusters?.prometheus?.evaluation && createPrometheus(realClusters.prometheus.evaluation),
          clusterLimits: realClusters && limitsByRuntime(realClusters),
          backupSchedules: realClusters && backupSchedules(realClusters),
          simulatesCharts: realClusters === undefined,
          webhookTargets: dependencies.allowPrivateWebhookTargets ? anyAddress : publicOnly,
          ...secretsBy(vault),
        }),
      };
      const differing = realClusters?.alerts
        ? await addAlerts(db, running.engine, realClusters.alerts, new Date(clock.now()).toISOString())
        : [];
      if (differing.length > 0)
        log.info(
          { rules: differing },
          'these alert rules differ from the clusters file, which only adds rules and changes none: change them with update_alert_rule',
        );
    },
    stop: async () => {
      await running?.engine.stop();
      await Promise.all(running?.runtimes.map(async (each) => each.close?.()) ?? []);
    },
    seedDirectory: async (directory) => {
      const store = await openDatabase(directory);
      try {
        const start = stepped?.start ?? clock.now();
        if (stepped) await saveSteppedTime(store, start);
        await seed(store, { now: () => start }, 1);
      } finally {
        await store.destroy();
      }
    },
  };
}
