import { type PlatformClock, type SteppedClock, systemClock } from './clock.ts';
import { stepFaults } from './testing/control/faults/step-faults.ts';
import type { FaultRegistry } from './testing/control/faults/registry.ts';
import { readSteppedTime, saveSteppedTime } from './testing/control/stepping.ts';
import { createEngine } from './engine/create-engine.ts';
import type { Engine } from './engine/engine.ts';
import { requireMatchingKey, type Vault } from './store/vault.ts';
import type { PlatformLog } from './log.ts';
import { type Random, seededRandom } from './random.ts';
import { type RateLimitBudget, createRateLimiter } from './api/rate-limit.ts';
import type { Runtime } from './runtime/runtime.ts';
import { createSimulatedRuntime } from './runtime/simulated/simulated-runtime.ts';
import { simulationContextOf } from './testing/scenarios/platform-state.ts';
import type { Scenario } from './testing/scenarios/scenario.ts';
import { seedPlatform } from './seed/seed.ts';
import { type Db, openDatabase, type DataStore } from './store/database.ts';
import { readSetting, writeSetting } from './store/settings.ts';
import { anyAddress, publicOnly } from './engine/webhooks/target.ts';
import { sealTargets } from './engine/webhooks/userinfo.ts';

/** What works on the records of a platform is made with. */
export interface PlatformServicesDependencies {
  readonly dataDir: string;
  readonly db: DataStore;
  readonly vault: Vault;
  readonly clock: PlatformClock;
  /** The time of whoever calls, which doesn't stand still where the platform's does. */
  readonly callersClock: PlatformClock;
  /** The clock where it moves on request only, and where it stands at first, in milliseconds since the epoch. */
  readonly stepped?: { readonly clock: SteppedClock; readonly start: number } | undefined;
  readonly random: Random;
  /** Makes chance and ids the same from one new data directory to the next. */
  readonly randomSeed?: string | undefined;
  readonly faults: FaultRegistry;
  readonly scenarios: readonly Scenario[];
  readonly timeScale: number;
  readonly rateLimit?: number | undefined;
  readonly rateWindowSeconds?: number | undefined;
  readonly allowPrivateWebhookTargets?: boolean | undefined;
  /** Has services run elsewhere than in the simulation, which it is given. */
  readonly runtime?: ((simulated: Runtime) => Runtime) | undefined;
  readonly log: PlatformLog;
}

/** What works on the records: made anew whenever others take their place. */
interface RunningServices {
  readonly engine: Engine;
  readonly random: Random;
  readonly countCall: (caller: string) => RateLimitBudget;
}

/** The work on the records, which can be ended and begun again. */
export interface PlatformServices {
  /** What is at work now. */
  readonly current: () => RunningServices;
  /** Makes everything ready on the records that are there: seeds them where needed, and sees that the key is theirs. */
  readonly start: () => Promise<void>;
  /** Ends what has begun; nothing where nothing has. */
  readonly stop: () => Promise<void>;
  /** Fills a database in another, empty directory with what a new platform would have. */
  readonly seedDirectory: (directory: string) => Promise<void>;
}

const isEmpty = async (db: Db): Promise<boolean> => (await db.selectFrom('organization').select('id').limit(1).executeTakeFirst()) === undefined;

/** How often the platform began to work on these records, this time included. */
const countStart = async (db: Db): Promise<number> => {
  const starts = Number((await readSetting(db, 'starts')) ?? 0) + 1;
  await writeSetting(db, 'starts', String(starts));
  return starts;
};

/** Makes the work on a data directory's records; nothing of it has begun. */
export function createPlatformServices(parts: PlatformServicesDependencies): PlatformServices {
  const { dataDir, db, vault, clock, stepped, random, randomSeed, faults, scenarios, timeScale, log } = parts;
  const { runtime = (simulated) => simulated } = parts;
  let shift: RunningServices | undefined;

  // Ids that were drawn before must not be drawn again: each start has chance of its own.
  const chanceOf = (start: number, purpose: string): Random => (randomSeed === undefined ? random : seededRandom(`${randomSeed}/${start}/${purpose}`));

  /** Time goes on where it stood; where it passed by itself before, it doesn't go back behind that. */
  const setTime = async (): Promise<void> => {
    if (!stepped) return;
    const moment = (await readSteppedTime(db)) ?? ((await isEmpty(db)) ? stepped.start : Math.max(stepped.start, systemClock.now()));
    await saveSteppedTime(db, moment);
    stepped.clock.moveTo(moment);
  };

  return {
    current: () => {
      if (!shift) throw new Error('The work on the records has not begun.');
      return shift;
    },
    start: async () => {
      await requireMatchingKey(db, vault, dataDir);
      await sealTargets(db, vault);
      await setTime();
      const start = randomSeed === undefined ? 0 : await countStart(db);
      faults.reset(randomSeed === undefined ? random.uuid() : `${randomSeed}/${start}`);
      await seedPlatform(db, { vault, clock, random: chanceOf(start, 'seed') }, scenarios);
      const drawn = chanceOf(start, 'work');
      shift = {
        random: drawn,
        countCall: createRateLimiter(parts.callersClock, parts.rateLimit, parts.rateWindowSeconds),
        engine: createEngine({
          db, clock, random: drawn, log, timeScale,
          runtime: runtime(createSimulatedRuntime({ clock, timeScale, simulation: simulationContextOf(db), faults: stepFaults(faults) })),
          webhookTargets: parts.allowPrivateWebhookTargets ? anyAddress : publicOnly,
          openSecret: (sealed) => vault.open(sealed),
          upgradeFails: (upgrade) => faults.forUpgrade(upgrade) !== undefined,
        }),
      };
    },
    stop: async () => shift?.engine.stop(),
    seedDirectory: async (directory) => {
      const fresh = await openDatabase(directory);
      try {
        const start = stepped?.start ?? clock.now();
        if (stepped) await saveSteppedTime(fresh, start);
        await seedPlatform(fresh, { vault, clock: { now: () => start }, random: chanceOf(1, 'seed') }, scenarios);
      } finally {
        await fresh.destroy();
      }
    },
  };
}
