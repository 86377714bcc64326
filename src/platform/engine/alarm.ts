import type { Clock } from '../clock.ts';

// A system timer with a longer delay than this runs at once.
const longestDelay = 2 ** 31 - 1;

/** A sleep that can be cut short. */
export interface Alarm {
  /** Sleeps until the clock says `moment` (milliseconds since the epoch), the clock is moved, or somebody rings. */
  readonly sleepUntil: (moment: number) => Promise<void>;
  /** Ends the sleep under way, or the next one before it begins. */
  readonly ring: () => void;
}

/** An alarm on the platform's clock. */
export function createAlarm(clock: Clock): Alarm {
  let rung = false;
  let wakeUp: (() => void) | undefined;

  const sleep = async (moment: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.min(moment - clock.now(), longestDelay));
    const unsubscribe = clock.onMove?.(resolve);
    wakeUp = resolve;
    await promise;
    clearTimeout(timer);
    unsubscribe?.();
  };

  return {
    ring: () => {
      rung = true;
      wakeUp?.();
    },
    sleepUntil: async (moment) => {
      if (!rung && moment > clock.now()) await sleep(moment);
      rung = false;
    },
  };
}
