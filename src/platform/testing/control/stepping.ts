import { setImmediate } from 'node:timers/promises';
import { invalid, refused, type SteppedClock } from '../../common/index.ts';
import type { Engine } from '../../engine/index.ts';
import { readSetting, writeSetting, type Db } from '../../store/index.ts';

// Keeps a typo from taking hours. Callers that want more can advance twice.
const maximumAdvanceMilliseconds = 366 * 86_400_000;

/** Advances time on request. */
export interface Stepping {
  /**
   * Advances time to a moment in milliseconds since the epoch, stopping whenever work is due. Returns when all due work
   * has been carried out.
   * @throws ApiProblem 400 for a moment in the past or too far in the future
   */
  advanceTo(moment: number): Promise<void>;
  /** Aborts the current advance. No later one succeeds. */
  close(): void;
}

export interface SteppingDependencies {
  readonly db: Db;
  readonly clock: SteppedClock;
  /** See Engine.settled. */
  readonly settled: Engine['settled'];
}

/** The stored time of a stepped data directory, in milliseconds since the epoch; undefined if it was never stepped. */
export async function readSteppedTime(db: Db): Promise<number | undefined> {
  const stored = await readSetting(db, 'stepped_time');
  return stored === undefined ? undefined : Number(stored);
}

/** Stores the time of a stepped data directory. */
export const saveSteppedTime = (db: Db, moment: number): Promise<void> =>
  writeSetting(db, 'stepped_time', String(moment));

/**
 * Steps the clock of one platform. Each move is stored before it takes effect, so time never goes back at a restart.
 */
export function createStepping({ db, clock, settled }: SteppingDependencies): Stepping {
  let isClosed = false;

  const moveTo = async (moment: number): Promise<void> => {
    await saveSteppedTime(db, moment);
    clock.moveTo(moment);
  };

  return {
    advanceTo: async (moment) => {
      const start = clock.now();
      if (moment < start)
        throw invalid(
          'to',
          `is before ${new Date(start).toISOString()}, where time stands; it only moves on. Restore a snapshot to go back`,
        );
      if (moment - start > maximumAdvanceMilliseconds)
        throw invalid('to', 'is more than 366 days away; go there in parts');
      for (;;) {
        const next = await settled();
        // The loop does no I/O. Without this it would block all requests until the end.
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
