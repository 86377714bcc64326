import { defaultRateLimit, defaultRateWindowSeconds } from '../../contract/index.ts';
import type { PlatformClock } from '../common/index.ts';
import type { CallWindows } from '../store/index.ts';

/** A caller's budget after a call. */
export interface RateLimitBudget {
  readonly limit: number;
  readonly remaining: number;
  /** When the budget is restored, in Unix seconds. */
  readonly resetAt: number;
  /** Whether this call exceeds the limit. */
  readonly exceeded: boolean;
}

/** Counts a call, and returns what is left. */
export type RateLimiter = (caller: string) => Promise<RateLimitBudget>;

/**
 * Creates a rate limiter with fixed windows: a caller's window begins with its first call and ends `windowSeconds` later,
 * when the budget is restored.
 */
export const createRateLimiter = (windows: CallWindows, clock: PlatformClock, limit = defaultRateLimit, windowSeconds = defaultRateWindowSeconds): RateLimiter => async (caller) => {
  const { endsAt, calls } = await windows.count(caller, clock.now(), windowSeconds * 1000);
  return { limit, remaining: Math.max(0, limit - calls), resetAt: Math.ceil(endsAt / 1000), exceeded: calls > limit };
};
