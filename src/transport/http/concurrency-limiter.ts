import type { LimiterKey } from './client-address.ts';

/** Gives places back. Safe to call more than once. */
export type ReleaseSlots = () => void;

/** Places for calls, shared fairly among those who call. */
export interface ConcurrencyLimiter {
  /**
   * Waits for places. Identities take turns, however many calls one of them has waiting, and within one its principals do.
   * @param count how many places are needed at once.
   * @param signal ends the waiting.
   * @returns undefined when there are never as many places, too many calls of this caller or from its address wait already, the time
   * is up, or the signal aborted.
   */
  acquire(holder: LimiterKey, count: number, signal: AbortSignal): Promise<ReleaseSlots | undefined>;
}

/** How many there may be, counted in calls; times in milliseconds. */
export interface ConcurrencyLimits {
  readonly calls: number;
  /** Of one principal. */
  readonly callsPerPrincipal: number;
  readonly callsPerIdentity: number;
  readonly callsPerAddress: number;
  /** Of one principal. */
  readonly waitingPerPrincipal: number;
  readonly waitingPerIdentity: number;
  readonly waitingPerAddress: number;
  readonly waitingTime: number;
}

/** What is counted for one principal, identity or address. */
interface Usage {
  running: number;
  waiting: number;
}

/** One or several calls that came together. */
interface Waiter {
  readonly count: number;
  readonly from: Usage;
  /** Gives them their places. */
  readonly start: () => void;
}

/** The calls of one principal. */
interface PrincipalQueue extends Usage {
  readonly queue: Set<Waiter>;
}

/** The calls of one identity, by principal in the order of turns. */
interface IdentityQueue extends Usage {
  readonly principals: Map<string, PrincipalQueue>;
}

const isIdle = ({ running, waiting }: Usage): boolean => running === 0 && waiting === 0;

/** Puts an entry last, where it may have been before or not. */
function putLast<Value>(entries: Map<string, Value>, name: string, value: Value): void {
  entries.delete(name);
  entries.set(name, value);
}

/** Lanes of one host, empty. */
export function createConcurrencyLimiter(limits: ConcurrencyLimits): ConcurrencyLimiter {
  // By identity, in the order of turns: whoever got a place goes to the end.
  const lanes = new Map<string, IdentityQueue>();
  const addresses = new Map<string, Usage>();
  const mostTogether = Math.min(limits.calls, limits.callsPerPrincipal, limits.callsPerIdentity, limits.callsPerAddress);
  let running = 0;

  /** Whose turn it is within an identity; nobody's where what would be next has no room. */
  const nextIn = (lane: IdentityQueue): Waiter | undefined => {
    for (const line of lane.principals.values()) {
      const [first] = line.queue;
      if (!first || line.running + first.count > limits.callsPerPrincipal || first.from.running + first.count > limits.callsPerAddress) continue;
      return lane.running + first.count > limits.callsPerIdentity ? undefined : first;
    }
    return undefined;
  };

  // Whoever gets a place goes to the end, and so has another turn once the others had theirs.
  const admit = (): void => {
    for (const lane of lanes.values()) {
      const next = nextIn(lane);
      if (!next) continue;
      // Its turn: those behind it must not take, one by one, the places that it needs together.
      if (running + next.count > limits.calls) return;
      next.start();
    }
  };

  return {
    async acquire({ principal, identity, address }, count, signal) {
      if (signal.aborted || count > mostTogether) return undefined;
      const lane: IdentityQueue = lanes.get(identity) ?? { running: 0, waiting: 0, principals: new Map() };
      const line: PrincipalQueue = lane.principals.get(principal) ?? { running: 0, waiting: 0, queue: new Set() };
      const from: Usage = addresses.get(address) ?? { running: 0, waiting: 0 };
      const counted = [line, lane, from] as const;
      lanes.set(identity, lane);
      lane.principals.set(principal, line);
      addresses.set(address, from);

      const forgetIdle = (): void => {
        if (isIdle(line)) lane.principals.delete(principal);
        if (isIdle(lane)) lanes.delete(identity);
        if (isIdle(from)) addresses.delete(address);
      };

      const take = (): ReleaseSlots => {
        running += count;
        for (const tally of counted) tally.running += count;
        putLast(lanes, identity, lane);
        putLast(lane.principals, principal, line);
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
          line.queue.delete(waiter);
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
          start: () => {
            leaveQueue();
            resolve(take());
          },
        };
        line.queue.add(waiter);
        for (const tally of counted) tally.waiting += count;
        admit();
        if (!line.queue.has(waiter)) return;
        if (line.waiting > limits.waitingPerPrincipal || lane.waiting > limits.waitingPerIdentity || from.waiting > limits.waitingPerAddress) return giveUp();
        timer = setTimeout(giveUp, limits.waitingTime);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
