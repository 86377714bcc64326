import { defaultRateLimit, defaultRateWindowSeconds } from '../../contract/index.ts';
import type { PlatformClock } from '../common/index.ts';

/** A caller's budget after a call. */
export interface RateLimitBudget {
  readonly limit: number;
  readonly remaining: number;
  /** When the budget is restored, in Unix seconds. */
  readonly resetAt: number;
  /** Whether this call exceeds the limit. */
  readonly exceeded: boolean;
}

interface RateLimitWindow {
  endsAt: number;
  calls: number;
}

// The number of windows at which the expired ones are removed. There is no limit to how many addresses call.
const sweepAt = 10_000;

/**
 * Creates a rate limiter with fixed windows: a caller's window begins with its first call and ends `windowSeconds` later,
 * when the budget is restored. The counts are in memory, so a restart gives every caller a new window.
 */
export function createRateLimiter(clock: PlatformClock, limit = defaultRateLimit, windowSeconds = defaultRateWindowSeconds): (caller: string) => RateLimitBudget {
  const windows = new Map<string, RateLimitWindow>();

  const sweep = (now: number) => {
    for (const [caller, { endsAt }] of windows) if (endsAt <= now) windows.delete(caller);
  };

  return (caller) => {
    const now = clock.now();
    const current = windows.get(caller);
    const window = current && current.endsAt > now ? current : { endsAt: now + windowSeconds * 1000, calls: 0 };
    window.calls += 1;
    if (window !== current) {
      if (windows.size >= sweepAt) sweep(now);
      windows.set(caller, window);
    }
    return {
      limit,
      remaining: Math.max(0, limit - window.calls),
      resetAt: Math.ceil(window.endsAt / 1000),
      exceeded: window.calls > limit,
    };
  };
}
