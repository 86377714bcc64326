import type { Holder } from './holder.ts';

/** Gives places back. Safe to call more than once. */
export type Release = () => void;

/** Places for calls, shared fairly among those who call. */
export interface Lanes {
  /**
   * Waits for places. Identities take turns, however many calls one of them has waiting, and within one its principals do.
   * @param count how many places are needed at once.
   * @param signal ends the waiting.
   * @returns undefined when there are never as many places, too many calls of this caller or from its address wait already, the time
   * is up, or the signal aborted.
   */
  enter(holder: Holder, count: number, signal: AbortSignal): Promise<Release | undefined>;
}

/** How many there may be, counted in calls; times in milliseconds. */
export interface LaneLimits {
  readonly calls: number;
  /** Of one principal. */
  readonly callsEach: number;
  readonly callsPerIdentity: number;
  readonly callsPerAddress: number;
  /** Of one principal. */
  readonly waitingEach: number;
  readonly waitingPerIdentity: number;
  readonly waitingPerAddress: number;
  readonly waitingTime: number;
}

/** What is counted for one principal, identity or address. */
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

/** The calls of one principal. */
interface Line extends Tally {
  readonly queue: Set<Waiter>;
}

/** The calls of one identity, by principal in the order of turns. */
interface Lane extends Tally {
  readonly lines: Map<string, Line>;
}

const isIdle = ({ running, waiting }: Tally): boolean => running === 0 && waiting === 0;

/** Puts an entry last, where it may have been before or not. */
function putLast<Value>(entries: Map<string, Value>, name: string, value: Value): void {
  entries.delete(name);
  entries.set(name, value);
}

/** Lanes of one host, empty. */
export function createLanes(limits: LaneLimits): Lanes {
  // By identity, in the order of turns: whoever got a place goes to the end.
  const lanes = new Map<string, Lane>();
  const addresses = new Map<string, Tally>();
  const mostTogether = Math.min(limits.calls, limits.callsEach, limits.callsPerIdentity, limits.callsPerAddress);
  let running = 0;

  /** Whose turn it is within an identity; nobody's where what would be next has no room. */
  const nextIn = (lane: Lane): Waiter | undefined => {
    for (const line of lane.lines.values()) {
      const [first] = line.queue;
      if (!first || line.running + first.count > limits.callsEach || first.from.running + first.count > limits.callsPerAddress) continue;
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
      next.begin();
    }
  };

  return {
    async enter({ principal, identity, address }, count, signal) {
      if (signal.aborted || count > mostTogether) return undefined;
      const lane: Lane = lanes.get(identity) ?? { running: 0, waiting: 0, lines: new Map() };
      const line: Line = lane.lines.get(principal) ?? { running: 0, waiting: 0, queue: new Set() };
      const from: Tally = addresses.get(address) ?? { running: 0, waiting: 0 };
      const counted = [line, lane, from] as const;
      lanes.set(identity, lane);
      lane.lines.set(principal, line);
      addresses.set(address, from);

      const forgetIdle = (): void => {
        if (isIdle(line)) lane.lines.delete(principal);
        if (isIdle(lane)) lanes.delete(identity);
        if (isIdle(from)) addresses.delete(address);
      };

      const take = (): Release => {
        running += count;
        for (const tally of counted) tally.running += count;
        putLast(lanes, identity, lane);
        putLast(lane.lines, principal, line);
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
          begin: () => {
            leaveQueue();
            resolve(take());
          },
        };
        line.queue.add(waiter);
        for (const tally of counted) tally.waiting += count;
        admit();
        if (!line.queue.has(waiter)) return;
        if (line.waiting > limits.waitingEach || lane.waiting > limits.waitingPerIdentity || from.waiting > limits.waitingPerAddress) return giveUp();
        timer = setTimeout(giveUp, limits.waitingTime);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
