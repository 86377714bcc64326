import { setImmediate } from 'node:timers/promises';
import type { SteppedClock } from '../../clock.ts';
import type { Engine } from '../../engine/engine.ts';
import { invalid, refused } from '../../problem.ts';
import type { Db } from '../../store/database.ts';
import { readSetting, writeSetting } from '../../store/settings.ts';

// Whoever means more can ask twice; a slip of the keyboard should not take hours.
const maximumAdvanceMilliseconds = 366 * 86_400_000;

/** Time that moves on request only. */
export interface Stepping {
  /**
   * Moves time on to a moment (milliseconds since the epoch), stopping wherever something is due on the way, and returns
   * when all of it has been carried out.
   * @throws ApiProblem 400 for a moment that is past, or too far away
   */
  advanceTo(moment: number): Promise<void>;
  /** Stops an advance on its way, for good. */
  close(): void;
}

/** What stepping works with. */
export interface SteppingDependencies {
  readonly db: Db;
  readonly clock: SteppedClock;
  /** See Engine.settled. */
  readonly settled: Engine['settled'];
}

/** Where time stands in a data directory; undefined where it was never stepped. */
export async function readSteppedTime(db: Db): Promise<number | undefined> {
  const kept = await readSetting(db, 'stepped_time');
  return kept === undefined ? undefined : Number(kept);
}

/** Writes down where time stands. */
export const saveSteppedTime = (db: Db, moment: number): Promise<void> => writeSetting(db, 'stepped_time', String(moment));

/** Steps the clock of one platform. Each move is written down before it counts, so that time never goes back at a start. */
export function createStepping({ db, clock, settled }: SteppingDependencies): Stepping {
  let isClosed = false;

  const moveTo = async (moment: number): Promise<void> => {
    await saveSteppedTime(db, moment);
    clock.moveTo(moment);
  };

  return {
    advanceTo: async (moment) => {
      const start = clock.now();
      if (moment < start) throw invalid('to', `is before ${new Date(start).toISOString()}, where time stands; it only moves on. Restore a snapshot to go back`);
      if (moment - start > maximumAdvanceMilliseconds) throw invalid('to', 'is more than 366 days away; go there in parts');
      for (;;) {
        const next = await settled();
        // Nothing on the way waits for the outside: without this, nobody else would be answered until the end.
        await setImmediate();
        if (isClosed) throw refused('The platform stops; time was not moved to the end.');
        if (next === null || next > moment) break;
        await moveTo(next);
      }
      if (moment > clock.now()) await moveTo(moment);
      await settled();
    },
    close: () => {
      isClosed = true;
    },
  };
}
