import { type PlatformClock, systemClock } from '../../common/index.ts';
import type { PostgresPool } from '../../../postgres/index.ts';

/** How often the clocks are compared, in milliseconds. */
const betweenComparisons = 60_000;

/** The number of measurements per comparison. The one with the shortest round trip counts. */
const attempts = 3;

/** The result of one comparison, in milliseconds. */
interface Comparison {
  /** How far the database's clock is ahead of this process's. */
  readonly ahead: number;
  /** The maximum error of `ahead`. */
  readonly error: number;
}

async function compareOnce(pool: PostgresPool, own: PlatformClock): Promise<Comparison> {
  const before = own.now();
  const {
    rows: [row],
  } = await pool.query<{ now: number }>('select (extract(epoch from clock_timestamp()) * 1000)::bigint as now');
  const after = own.now();
  return { ahead: row!.now - (before + after) / 2, error: (after - before) / 2 + 1 };
}

async function compare(pool: PostgresPool, own: PlatformClock): Promise<Comparison> {
  const compared: Comparison[] = [];
  // One at a time, so that they don't wait for each other.
  for (let attempt = 0; attempt < attempts; attempt += 1) compared.push(await compareOnce(pool, own));
  return compared.toSorted((one, other) => one.error - other.error)[0]!;
}

/** A clock that shows the database's time. */
export interface DatabaseClock extends PlatformClock {
  close(): void;
}

/** A clock may be adjusted by this much without another comparison, in milliseconds. */
const toleratedStep = 500;

/**
 * A clock that starts at the machine's time and runs on evenly when the machine's clock is set.
 * @param onStep called when the machine's clock has deviated, as it also does while the machine sleeps
 */
function steadyClock(own: PlatformClock, onStep: () => void): PlatformClock {
  const startedAt = own.now() - performance.now();
  let step = 0;
  return {
    now: () => {
      const steady = startedAt + performance.now();
      const found = own.now() - steady;
      if (Math.abs(found - step) > toleratedStep) {
        step = found;
        onStep();
      }
      return steady;
    },
  };
}

/**
 * Follows the database's clock, so that all processes on the same records agree on the time, whatever their own clocks
 * show or are set to.
 * @param own the clock of this process
 * @throws Error if the first query fails. After later failures the last measurement holds
 */
export async function followDatabaseClock(
  pool: PostgresPool,
  own: PlatformClock = systemClock,
): Promise<DatabaseClock> {
  const steady = steadyClock(own, () => void correct().catch(() => {}));
  let ahead = 0;
  const correct = async (): Promise<void> => {
    const measured = await compare(pool, steady);
    // A difference within the measurement error changes nothing, so that time runs evenly.
    if (Math.abs(measured.ahead - ahead) > measured.error) ahead = measured.ahead;
  };
  await correct();
  const timer = setInterval(() => void correct().catch(() => {}), betweenComparisons).unref();
  return { now: () => Math.round(steady.now() + ahead), close: () => clearInterval(timer) };
}
