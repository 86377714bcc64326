/** Gives a place back. Safe to call more than once. */
export type Release = () => void;

/** Places for calls, shared fairly among principals. */
export interface Lanes {
  /**
   * Waits for a place. Principals take turns, however many calls one of them has waiting.
   * @param signal ends the waiting.
   * @returns undefined when too many calls of this principal wait already, the time is up, or the signal aborted.
   */
  enter(principal: string, signal: AbortSignal): Promise<Release | undefined>;
}

/** How many there may be; times in milliseconds. */
export interface LaneLimits {
  readonly calls: number;
  readonly callsEach: number;
  readonly waitingEach: number;
  readonly waitingTime: number;
}

type Waiter = (release: Release | undefined) => void;

interface Lane {
  running: number;
  readonly waiting: Set<Waiter>;
}

/** Lanes of one host, empty. */
export function createLanes(limits: LaneLimits): Lanes {
  // In the order of turns: whoever got a place goes to the end.
  const lanes = new Map<string, Lane>();
  let running = 0;

  const hasPlace = (lane: Lane): boolean => running < limits.calls && lane.running < limits.callsEach;

  const forgetIdle = (principal: string, lane: Lane): void => {
    if (lane.running === 0 && lane.waiting.size === 0) lanes.delete(principal);
  };

  const take = (principal: string, lane: Lane): Release => {
    running += 1;
    lane.running += 1;
    lanes.delete(principal);
    lanes.set(principal, lane);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      running -= 1;
      lane.running -= 1;
      forgetIdle(principal, lane);
      admit();
    };
  };

  // Whoever gets a place goes to the end, and so has another turn once the others had theirs.
  const admit = (): void => {
    for (const [principal, lane] of lanes) {
      const [next] = lane.waiting;
      if (next && hasPlace(lane)) {
        lane.waiting.delete(next);
        next(take(principal, lane));
      }
    }
  };

  const wait = (principal: string, lane: Lane, signal: AbortSignal): Promise<Release | undefined> =>
    new Promise((resolve) => {
      const leave = (): void => settle(undefined);
      const timer = setTimeout(leave, limits.waitingTime);
      const settle: Waiter = (release) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        lane.waiting.delete(settle);
        forgetIdle(principal, lane);
        resolve(release);
      };
      signal.addEventListener('abort', leave, { once: true });
      lane.waiting.add(settle);
    });

  return {
    async enter(principal, signal) {
      const lane = lanes.get(principal) ?? { running: 0, waiting: new Set() };
      if (lane.waiting.size === 0 && hasPlace(lane)) return take(principal, lane);
      if (lane.waiting.size >= limits.waitingEach || signal.aborted) return undefined;
      lanes.set(principal, lane);
      return wait(principal, lane, signal);
    },
  };
}
