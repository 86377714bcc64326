import { createConcurrencyLimiter, type ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { identityLimits, Limits } from './limits.ts';

/** The slots of a host. */
export interface Slots {
  /** For calls, which take turns. */
  readonly calls: ConcurrencyLimiter;
  /** For long-lived event streams, of which none waits. */
  readonly streams: ConcurrencyLimiter;
}

/** Creates the slots of a host. @param perIdentity its limits per identity */
export const createSlots = (limits: Limits, perIdentity: ReturnType<typeof identityLimits>): Slots => ({
  // Running calls need no limit per address.
  calls: createConcurrencyLimiter({
    ...limits,
    callsPerIdentity: perIdentity.calls,
    callsPerAddress: Number.POSITIVE_INFINITY,
    waitingPerIdentity: perIdentity.waiting,
  }),
  streams: createConcurrencyLimiter({
    calls: limits.connections,
    callsPerPrincipal: limits.streamsPerPrincipal,
    callsPerIdentity: perIdentity.streams,
    callsPerAddress: limits.streamsPerAddress,
    waitingPerPrincipal: 0,
    waitingPerIdentity: 0,
    waitingPerAddress: 0,
    waitingTime: 0,
  }),
});
