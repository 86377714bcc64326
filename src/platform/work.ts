import { type Clock, type SteppedClock, systemClock } from './clock.ts';
import { stepFaults } from './testing/control/faults/step-faults.ts';
import type { FaultBook } from './testing/control/faults/book.ts';
import { keptMoment, keepMoment } from './testing/control/stepping.ts';
import { createEngine } from './engine/create-engine.ts';
import type { Engine } from './engine/engine.ts';
import { requireOwnKey } from './api/key-check.ts';
import type { PlatformLog } from './log.ts';
import { type Random, seededRandom } from './random.ts';
import { type Budget, createRateLimit } from './api/rate-limit.ts';
import type { Runtime } from './runtime/runtime.ts';
import { createSimulatedRuntime } from './runtime/simulated/simulated-runtime.ts';
import { natureOf } from './testing/scenarios/nature.ts';
import type { Scenario } from './testing/scenarios/scenario.ts';
import { seedPlatform } from './seed/seed.ts';
import { type Db, openDatabase, type Store } from './store/database.ts';
import { readSetting, writeSetting } from './store/settings.ts';
import type { Vault } from './store/vault.ts';
import { anyAddress, publicOnly } from './engine/webhooks/target.ts';
import { sealTargets } from './engine/webhooks/userinfo.ts';

/** What works on the records of a platform is made with. */
export interface WorkParts {
  readonly dataDir: string;
  readonly db: Store;
  readonly vault: Vault;
  readonly clock: Clock;
  /** The time of whoever calls, which doesn't stand still where the platform's does. */
  readonly callersClock: Clock;
  /** The clock where it moves on request only, and where it stands at first, in milliseconds since the epoch. */
  readonly stepped?: { readonly clock: SteppedClock; readonly start: number } | undefined;
  readonly random: Random;
  /** Makes chance and ids the same from one new data directory to the next. */
  readonly randomSeed?: string | undefined;
  readonly faults: FaultBook;
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
interface Shift {
  readonly engine: Engine;
  readonly random: Random;
  readonly countCall: (caller: string) => Budget;
}

/** The work on the records, which can be ended and begun again. */
export interface Work {
  /** What is at work now. */
  readonly now: () => Shift;
  /** Makes everything ready on the records that are there: seeds them where needed, and sees that the key is theirs. */
  readonly begin: () => Promise<void>;
  /** Ends what has begun; nothing where nothing has. */
  readonly end: () => Promise<void>;
  /** Fills a database in another, empty directory with what a new platform would have. */
  readonly fillWithSeed: (directory: string) => Promise<void>;
}

const isNew = async (db: Db): Promise<boolean> => (await db.selectFrom('organization').select('id').limit(1).executeTakeFirst()) === undefined;

/** How often the platform began to work on these records, this time included. */
const countStart = async (db: Db): Promise<number> => {
  const starts = Number((await readSetting(db, 'starts')) ?? 0) + 1;
  await writeSetting(db, 'starts', String(starts));
  return starts;
};

/** Makes the work on a data directory's records; nothing of it has begun. */
export function createWork(parts: WorkParts): Work {
  const { dataDir, db, vault, clock, stepped, random, randomSeed, faults, scenarios, timeScale, log } = parts;
  const { runtime = (simulated) => simulated } = parts;
  let shift: Shift | undefined;

  // Ids that were drawn before must not be drawn again: each start has chance of its own.
  const chanceOf = (start: number, purpose: string): Random => (randomSeed === undefined ? random : seededRandom(`${randomSeed}/${start}/${purpose}`));

  /** Time goes on where it stood; where it passed by itself before, it doesn't go back behind that. */
  const setTime = async (): Promise<void> => {
    if (!stepped) return;
    const moment = (await keptMoment(db)) ?? ((await isNew(db)) ? stepped.start : Math.max(stepped.start, systemClock.now()));
    await keepMoment(db, moment);
    stepped.clock.moveTo(moment);
  };

  return {
    now: () => {
      if (!shift) throw new Error('The work on the records has not begun.');
      return shift;
    },
    begin: async () => {
      await requireOwnKey(db, vault, dataDir);
      await sealTargets(db, vault);
      await setTime();
      const start = randomSeed === undefined ? 0 : await countStart(db);
      faults.beginAnew(randomSeed === undefined ? random.uuid() : `${randomSeed}/${start}`);
      await seedPlatform(db, { vault, clock, random: chanceOf(start, 'seed') }, scenarios);
      const drawn = chanceOf(start, 'work');
      shift = {
        random: drawn,
        countCall: createRateLimit(parts.callersClock, parts.rateLimit, parts.rateWindowSeconds),
        engine: createEngine({
          db, clock, random: drawn, log, timeScale,
          runtime: runtime(createSimulatedRuntime({ clock, timeScale, nature: natureOf(db), faults: stepFaults(faults) })),
          webhookTargets: parts.allowPrivateWebhookTargets ? anyAddress : publicOnly,
          openSecret: (sealed) => vault.open(sealed),
          upgradeFails: (upgrade) => faults.ofUpgrade(upgrade) !== undefined,
        }),
      };
    },
    end: async () => shift?.engine.stop(),
    fillWithSeed: async (directory) => {
      const fresh = await openDatabase(directory);
      try {
        const start = stepped?.start ?? clock.now();
        if (stepped) await keepMoment(fresh, start);
        await seedPlatform(fresh, { vault, clock: { now: () => start }, random: chanceOf(1, 'seed') }, scenarios);
      } finally {
        await fresh.destroy();
      }
    },
  };
}
