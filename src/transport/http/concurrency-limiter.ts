/** The caller that slots are counted for. */
export interface LimiterKey {
  /** Identity plus platform credential. */
  readonly principal: string;
  /** The key or subject, whatever platform credential it sends. */
  readonly identity: string;
  /** The client's address, as returned by `clientAddress`. */
  readonly address: string;
}

/** Returns acquired slots. Safe to call more than once. */
export type ReleaseSlots = () => void;

/** Limits concurrent calls and shares the slots fairly among callers. */
export interface ConcurrencyLimiter {
  /**
   * Waits for slots. Identities take turns, however many calls each has waiting; so do the principals of one identity.
   * @param count number of slots needed at the same time.
   * @param signals each of them cancels the wait.
   * @returns undefined if `count` exceeds a limit, too many calls of this caller or its address are waiting, the wait
   *   timed out, or a signal aborted.
   */
  acquire(key: LimiterKey, count: number, ...signals: readonly AbortSignal[]): Promise<ReleaseSlots | undefined>;
  /** The number of calls that hold slots, and of those that wait for them. */
  usage(): Readonly<Usage>;
}

/** Limits in calls; times in milliseconds. */
export interface ConcurrencyLimits {
  readonly calls: number;
  readonly callsPerPrincipal: number;
  readonly callsPerIdentity: number;
  readonly callsPerAddress: number;
  readonly waitingPerPrincipal: number;
  readonly waitingPerIdentity: number;
  readonly waitingPerAddress: number;
  readonly waitingTime: number;
}

/** Usage of one principal, identity or address, or of all. */
interface Usage {
  running: number;
  waiting: number;
}

/** One call, or a batch of calls, that waits for slots. */
interface Waiter {
  readonly count: number;
  readonly addressUsage: Usage;
  /** Gives it its slots. */
  readonly start: () => void;
}

/** The calls of one principal. */
interface PrincipalQueue extends Usage {
  readonly queue: Set<Waiter>;
}

/** The calls of one identity, by principal in round-robin order. */
interface IdentityQueue extends Usage {
  readonly principals: Map<string, PrincipalQueue>;
}

const isIdle = ({ running, waiting }: Usage): boolean => running === 0 && waiting === 0;

/** Adds an entry at the end, or moves an existing one there. */
function putLast<Value>(entries: Map<string, Value>, name: string, value: Value): void {
  entries.delete(name);
  entries.set(name, value);
}

/** Creates a limiter with every slot free. */
export function createConcurrencyLimiter(limits: ConcurrencyLimits): ConcurrencyLimiter {
  // By identity in round-robin order: an identity that got a slot moves to the end.
  const identities = new Map<string, IdentityQueue>();
  const addresses = new Map<string, Usage>();
  const maxCount = Math.min(limits.calls, limits.callsPerPrincipal, limits.callsPerIdentity, limits.callsPerAddress);
  let running = 0;

  /** The next waiter of an identity; undefined if its next waiter exceeds the identity's limit. */
  const nextIn = (identityQueue: IdentityQueue): Waiter | undefined => {
    for (const principalQueue of identityQueue.principals.values()) {
      const [first] = principalQueue.queue;
      if (
        !first ||
        principalQueue.running + first.count > limits.callsPerPrincipal ||
        first.addressUsage.running + first.count > limits.callsPerAddress
      )
        continue;
      return identityQueue.running + first.count > limits.callsPerIdentity ? undefined : first;
    }
    return undefined;
  };

  // The loop also reaches the entries that `start` moves to the end, so an identity gets another turn after the others.
  const startNext = (): void => {
    for (const identityQueue of identities.values()) {
      const next = nextIn(identityQueue);
      if (!next) continue;
      // A batch keeps its turn: otherwise later single calls would take the slots that it needs together.
      if (running + next.count > limits.calls) return;
      next.start();
    }
  };

  return {
    usage: () => ({ running, waiting: [...identities.values()].reduce((sum, identity) => sum + identity.waiting, 0) }),
    async acquire({ principal, identity, address }, count, ...signals) {
      if (signals.some(({ aborted }) => aborted) || count > maxCount) return undefined;
      const identityQueue: IdentityQueue = identities.get(identity) ?? {
        running: 0,
        waiting: 0,
        principals: new Map(),
      };
      const principalQueue: PrincipalQueue = identityQueue.principals.get(principal) ?? {
        running: 0,
        waiting: 0,
        queue: new Set(),
      };
      const addressUsage: Usage = addresses.get(address) ?? { running: 0, waiting: 0 };
      const usages = [principalQueue, identityQueue, addressUsage] as const;
      identities.set(identity, identityQueue);
      identityQueue.principals.set(principal, principalQueue);
      addresses.set(address, addressUsage);

      const removeIdle = (): void => {
        if (isIdle(principalQueue)) identityQueue.principals.delete(principal);
        if (isIdle(identityQueue)) identities.delete(identity);
        if (isIdle(addressUsage)) addresses.delete(address);
      };

      const take = (): ReleaseSlots => {
        running += count;
        for (const usage of usages) usage.running += count;
        putLast(identities, identity, identityQueue);
        putLast(identityQueue.principals, principal, principalQueue);
        let released = false;
        return () => {
          if (released) return;
          released = true;
          running -= count;
          for (const usage of usages) usage.running -= count;
          removeIdle();
          startNext();
        };
      };

      return new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        const leaveQueue = (): void => {
          if (timer !== undefined) {
            clearTimeout(timer);
            for (const signal of signals) signal.removeEventListener('abort', giveUp);
          }
          principalQueue.queue.delete(waiter);
          for (const usage of usages) usage.waiting -= count;
        };
        const giveUp = (): void => {
          leaveQueue();
          removeIdle();
          resolve(undefined);
          startNext();
        };
        const waiter: Waiter = {
          count,
          addressUsage,
          start: () => {
            leaveQueue();
            resolve(take());
          },
        };
        principalQueue.queue.add(waiter);
        for (const usage of usages) usage.waiting += count;
        startNext();
        if (!principalQueue.queue.has(waiter)) return;
        if (
          principalQueue.waiting > limits.waitingPerPrincipal ||
          identityQueue.waiting > limits.waitingPerIdentity ||
          addressUsage.waiting > limits.waitingPerAddress
        )
          return giveUp();
        timer = setTimeout(giveUp, limits.waitingTime);
        for (const signal of signals) signal.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
