import { setTimeout as delay } from 'node:timers/promises';
import { vi } from 'vitest';

/**
 * How long tests wait for what has to come, in milliseconds. A machine may be slow: only what never comes should fail.
 */
export const patience = 120_000;

/** How long work may take of which something happens all the time, such as a build, in milliseconds. */
const patienceWithWork = 4 * patience;

/**
 * Looks again and again until what it sees is what has to come.
 * @param isThere whether it is
 * @param interval the time between two looks, in milliseconds
 * @returns what was seen last
 * @throws Error with what was seen last, once nobody would wait any longer for work to end
 */
export async function seenAtLast<Seen>(
  look: () => Seen | Promise<Seen>,
  isThere: (seen: Seen) => boolean,
  interval = 50,
): Promise<Seen> {
  const end = Date.now() + patienceWithWork;
  for (;;) {
    const seen = await look();
    if (isThere(seen)) return seen;
    if (Date.now() > end)
      throw new Error(`It has not come in ${patienceWithWork / 1000} s. Last: ${JSON.stringify(seen)}`);
    await delay(interval);
  }
}

/**
 * Tries again until an attempt throws nothing.
 * @returns what the attempt returned
 * @throws what the last attempt threw, once the patience of tests is over
 */
export const eventually = <Result>(attempt: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(attempt, { timeout: patience, interval: 20 });
