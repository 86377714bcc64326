import { randomUUID } from 'node:crypto';
import { createRequestStateCodec } from '@modelcontextprotocol/server';
import type { CallContext, Clock } from '../../context/call-context.ts';
import type { InvalidSeal } from '../../failure/failure.ts';
import { monotonicClock } from '../storage/monotonic-clock.ts';

/** Remembers what was used, for as long as it could be used again. */
export interface UsedNonces {
  /** True the first time only. @param now milliseconds of a clock that never steps back. */
  take(nonce: string, now: number): boolean;
}

/** @param lifetime of what is used, in milliseconds. */
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

/** What agreement is bound to. */
export interface SealBinding {
  /** Stands for principal, tool and exact arguments. */
  readonly call: string;
  /** Stands for everything the plan read. */
  readonly plan: string;
}

interface SealContent extends SealBinding {
  readonly nonce: string;
  /** When it ends, by the clock of the process that never steps back. */
  readonly until: number;
}

/** A seal that counts, and can be used up. */
export interface OpenSeal {
  /** False when it was used before. */
  use(): boolean;
}

/** Seals what a caller carries back, so that it counts for one call and once. */
export interface Sealer {
  seal(bound: SealBinding): Promise<string>;
  open(text: string, bound: SealBinding, context: CallContext): Promise<OpenSeal | InvalidSeal>;
}

/**
 * Seals for this process: its clock says how long they last, also when the machine's steps back.
 * @param lifetime of a seal in seconds.
 */
export function createSealer(key: Uint8Array, lifetime: number, clock: Clock = { now: Date.now }): Sealer {
  const codec = createRequestStateCodec<SealContent>({ key, ttlSeconds: lifetime });
  const steady = monotonicClock(clock);
  const once = createUsedNonces(2 * lifetime * 1000);
  return {
    seal: ({ call, plan }) => codec.mint({ nonce: randomUUID(), call, plan, until: steady.now() + lifetime * 1000 }),
    open: async (text, bound, context) => {
      // Before anything else: what is seen to be over must stay so, whatever comes of this one.
      const now = steady.now();
      try {
        // Only a codec with a bind callback reads the context of the second argument.
        const sealed = await codec.verify(text, undefined as never);
        if (sealed.until <= now) throw new Error('expired');
        if (sealed.call !== bound.call) return 'other_call';
        if (sealed.plan !== bound.plan) return 'changed';
        return { use: () => once.take(sealed.nonce, steady.now()) };
      } catch (error) {
        context.log.warn({ requestId: context.requestId, reason: String(error) }, 'seal refused');
        return 'invalid';
      }
    },
  };
}
