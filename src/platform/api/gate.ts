import { finished } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { defaultRateLimit, defaultRateWindowSeconds } from '../../contract/index.ts';
import type { PlatformClock } from '../common/index.ts';
import type { CallWindows } from '../store/index.ts';

/** A caller's budget after a call. */
interface RateLimitBudget {
  readonly limit: number;
  readonly remaining: number;
  /** When the budget is restored, in Unix seconds. */
  readonly resetAt: number;
  /** Whether this call exceeds the limit. */
  readonly exceeded: boolean;
}

/** Counts a call, and returns the remaining budget. */
export type RateLimiter = (caller: string) => Promise<RateLimitBudget>;

/**
 * Creates a rate limiter with fixed windows: a caller's window starts with its first call and ends `windowSeconds`
 * later, when the budget is restored.
 */
export const createRateLimiter =
  (
    windows: CallWindows,
    clock: PlatformClock,
    limit = defaultRateLimit,
    windowSeconds = defaultRateWindowSeconds,
  ): RateLimiter =>
  async (caller) => {
    const { endsAt, calls } = await windows.count(caller, clock.now(), windowSeconds * 1000);
    return { limit, remaining: Math.max(0, limit - calls), resetAt: Math.ceil(endsAt / 1000), exceeded: calls > limit };
  };

/** Lets requests through, or holds them while it is closed. */
export interface Gate {
  /** Makes every request of a server pass the gate. */
  install(app: FastifyInstance): void;
  /**
   * Closes the gate, waits for the pending requests to finish, runs `operation`, and opens the gate again. One
   * operation at a time.
   */
  whileClosed<Result>(operation: () => Promise<Result>): Promise<Result>;
}

/** Resolves when the promise is settled, whatever its outcome. */
const whenSettled = (promise: Promise<unknown>): Promise<void> =>
  promise.then(
    () => undefined,
    () => undefined,
  );

/** Creates an open gate. */
export function createGate(): Gate {
  const gate: { closed?: Promise<void> | undefined } = {};
  let pending = 0;
  let onDrained: (() => void) | undefined;

  const leave = (): void => {
    pending -= 1;
    if (pending === 0) onDrained?.();
  };

  const drained = async (): Promise<void> => {
    if (pending > 0) await new Promise<void>((resolve) => (onDrained = resolve));
    onDrained = undefined;
  };

  const opened = async (): Promise<void> => {
    while (gate.closed) await gate.closed;
  };

  return {
    install: (app) => {
      app.addHook('onRequest', async (_request, reply) => {
        await opened();
        pending += 1;
        finished(reply.raw, leave);
      });
    },
    whileClosed: async (operation) => {
      await opened();
      const running = drained().then(operation);
      gate.closed = whenSettled(running);
      try {
        return await running;
      } finally {
        gate.closed = undefined;
      }
    },
  };
}
