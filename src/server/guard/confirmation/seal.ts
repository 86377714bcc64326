import { randomUUID } from 'node:crypto';
import { createRequestStateCodec } from '@modelcontextprotocol/server';
import type { CallContext, Clock } from '../../context/index.ts';
import type { InvalidSeal } from '../../failure/index.ts';
import { monotonicClock } from '../storage/monotonic-clock.ts';

/** Remembers used nonces for as long as they could be replayed. */
export interface UsedNonces {
  /** True only the first time. @param now milliseconds of a monotonic clock. */
  take(nonce: string, now: number): boolean;
}

/** @param lifetime of a nonce, in milliseconds. */
function createUsedNonces(lifetime: number): UsedNonces {
  const used = new Map<string, number>();
  return {
    take: (nonce, now) => {
      for (const [old, until] of used) if (until < now) used.delete(old);
      if (used.has(nonce)) return false;
      used.set(nonce, now + lifetime);
      return true;
    },
  };
}

/** The call and plan that an agreement is bound to. */
export interface SealBinding {
  /** Keyed hash of principal, tool and exact arguments. */
  readonly call: string;
  /** The plan's digest. */
  readonly plan: string;
}

interface SealContent extends SealBinding {
  readonly nonce: string;
  /** When it expires, by this process's monotonic clock. */
  readonly until: number;
}

/** A valid seal, which can be used once. */
export interface OpenSeal {
  /** Uses it up. False if it was used before. */
  use(): boolean;
}

/** Seals a text that a caller passes back, so that it is valid for one call only, and once. */
export interface Sealer {
  seal(bound: SealBinding): Promise<string>;
  open(text: string, bound: SealBinding, context: CallContext): Promise<OpenSeal | InvalidSeal>;
}

/**
 * Seals that are valid in this process. They expire by a monotonic clock, so a system clock that steps back doesn't
 * extend them.
 * @param lifetime of a seal, in seconds.
 */
export function createSealer(key: Uint8Array, lifetime: number, clock: Clock = { now: Date.now }): Sealer {
  const codec = createRequestStateCodec<SealContent>({ key, ttlSeconds: lifetime });
  const steady = monotonicClock(clock);
  const usedNonces = createUsedNonces(2 * lifetime * 1000);
  return {
    seal: ({ call, plan }) => codec.mint({ nonce: randomUUID(), call, plan, until: steady.now() + lifetime * 1000 }),
    open: async (text, bound, context) => {
      // Read the clock first, even if the text is invalid: what has expired by now must stay expired.
      const now = steady.now();
      try {
        // Only a codec with a bind callback uses the second argument, its context.
        const sealed = await codec.verify(text, undefined as never);
        if (sealed.until <= now) throw new Error('expired');
        if (sealed.call !== bound.call) return 'other_call';
        if (sealed.plan !== bound.plan) return 'changed';
        return { use: () => usedNonces.take(sealed.nonce, steady.now()) };
      } catch (error) {
        context.log.warn({ requestId: context.requestId, reason: String(error) }, 'seal refused');
        return 'invalid';
      }
    },
  };
}
