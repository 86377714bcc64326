import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../src/server/context/index.ts';

/** How much longer than it really takes a pause is for the server. */
const hurry = 10;

/**
 * The time of a server whose pauses take a tenth of what it takes them for. Everything else takes as long as it does.
 */
export function hurriedClock(): Clock {
  let skipped = 0;
  return {
    now: () => Date.now() + skipped,
    pause: async (milliseconds, signal) => {
      await setTimeout(milliseconds / hurry, undefined, { signal });
      skipped += milliseconds - milliseconds / hurry;
    },
  };
}
