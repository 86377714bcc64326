import type { Holder } from './holder.ts';

/** Gives places back. Safe to call more than once. */
export type Release = () => void;

/** Places for calls, shared fairly among those who call. */
export interface Lanes {
  /**
   * Waits for places. Identities take turns, however many calls one of them has waiting.
   * @param count how many places are needed at once.
   * @param signal ends the waiting.
   * @returns undefined when there are never as many places, too many calls of this identity or from its address wait already, the time
   * is up, or the signal aborted.
   */
  enter(holder: Holder, count: number, signal: AbortSignal): Promise<Release | undefined>;
}

/** How many there may be, counted in calls; times in milliseconds. */
export interface LaneLimits {
  readonly calls: number;
  readonly callsEach: number;
  readonly callsPerAddress: number;
  readonly waitingEach: number;
  readonly waitingPerAddress: number;
  readonly waitingTime: number;
}

/** What is counted for one identity or one address. */
interface Tally {
  running: number;
  waiting: number;
}

/** One or several calls that came together. */
interface Waiter {
  readonly count: number;
  readonly from: Tally;
  /** Gives them their places. */
  readonly begin: () => void;
}

interface Lane extends Tally {
  readonly queue: Set<Waiter>;
}

const isIdle = ({ running, waiting }: Tally): boolean => running === 0 && waiting === 0;

/** Lanes of one host, empty. */
export function createLanes(limits: LaneLimits): Lanes {
  // By identity, in the order of turns: whoever got a place goes to the end.
  const lanes = new Map<string, Lane>();
  const addresses = new Map<string, Tally>();
  const mostTogether = Math.min(limits.calls, limits.callsEach, limits.callsPerAddress);
  let running = 0;

  const hasOwnRoom = (lane: Lane, { count, from }: Waiter): boolean => lane.running + count <= limits.callsEach && from.running + count <= limits.callsPerAddress;

  // Whoever gets a place goes to the end, and so has another turn once the others had theirs.
  const admit = (): void => {
    for (const lane of lanes.values()) {
      const [next] = lane.queue;
      if (!next || !hasOwnRoom(lane, next)) continue;
      // Its turn: those behind it must not take, one by one, the places that it needs together.
      if (running + next.count > limits.calls) return;
      next.begin();
    }
  };

  return {
    async enter({ identity, address }, count, signal) {
      if (signal.aborted || count > mostTogether) return undefined;
      const lane: Lane = lanes.get(identity) ?? { running: 0, waiting: 0, queue: new Set() };
      const from: Tally = addresses.get(address) ?? { running: 0, waiting: 0 };
      const counted = [lane, from] as const;
      lanes.set(identity, lane);
      addresses.set(address, from);

      const forgetIdle = (): void => {
        if (isIdle(lane)) lanes.delete(identity);
        if (isIdle(from)) addresses.delete(address);
      };

      const take = (): Release => {
        running += count;
        for (const tally of counted) tally.running += count;
        lanes.delete(identity);
        lanes.set(identity, lane);
        let held = true;
        return () => {
          if (!held) return;
          held = false;
          running -= count;
          for (const tally of counted) tally.running -= count;
          forgetIdle();
          admit();
        };
      };

      return new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        const leaveQueue = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', giveUp);
          lane.queue.delete(waiter);
          for (const tally of counted) tally.waiting -= count;
        };
        const giveUp = (): void => {
          leaveQueue();
          forgetIdle();
          resolve(undefined);
          admit();
        };
        const waiter: Waiter = {
          count,
          from,
          begin: () => {
            leaveQueue();
            resolve(take());
          },
        };
        lane.queue.add(waiter);
        for (const tally of counted) tally.waiting += count;
        admit();
        if (!lane.queue.has(waiter)) return;
        if (lane.waiting > limits.waitingEach || from.waiting > limits.waitingPerAddress) return giveUp();
        timer = setTimeout(giveUp, limits.waitingTime);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
