import { defaultRateLimit, defaultRateWindowSeconds } from '../../contract/limits.ts';
import type { PlatformClock } from '../clock.ts';

/** What one call leaves of a caller's budget. */
export interface RateLimitBudget {
  readonly limit: number;
  readonly remaining: number;
  /** When the budget is whole again: Unix time in seconds. */
  readonly resetAt: number;
  /** True when this call is already one too many. */
  readonly exceeded: boolean;
}

interface RateLimitWindow {
  endsAt: number;
  calls: number;
}

// Addresses come without end; windows that are over are swept out when this many are kept.
const sweepAt = 10_000;

/**
 * Counts calls in fixed windows: a caller's window begins with its first call and ends `windowSeconds` later, with the
 * whole budget back. The counts live in memory: a restart gives everybody a fresh window.
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
