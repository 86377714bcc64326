import { randomUUID } from 'node:crypto';
import { createRequestStateCodec } from '@modelcontextprotocol/server';
import type { CallContext } from '../context.ts';
import { createOnce } from './once.ts';

/** What agreement is bound to. */
export interface Bound {
  /** Stands for principal, tool and exact arguments. */
  readonly call: string;
  /** Stands for everything the plan read. */
  readonly plan: string;
}

/** Why a seal doesn't count for a call. */
export type Broken =
  /** Changed, too old, or sealed by another process. */
  | 'invalid'
  /** It is about another call. */
  | 'other_call'
  /** What the call acts on has changed since. */
  | 'changed'
  | 'used';

interface Sealed extends Bound {
  readonly nonce: string;
}

/** A seal that counts, and can be used up. */
export interface OpenSeal {
  /** False when it was used before. */
  use(now: number): boolean;
}

/** Seals what a caller carries back, so that it counts for one call and once. */
export interface Sealing {
  seal(bound: Bound): Promise<string>;
  open(text: string, bound: Bound, context: CallContext): Promise<OpenSeal | Broken>;
}

/** @param lifetime of a seal in seconds. */
export function createSealing(key: Uint8Array, lifetime: number): Sealing {
  const codec = createRequestStateCodec<Sealed>({ key, ttlSeconds: lifetime });
  const once = createOnce(2 * lifetime * 1000);
  return {
    seal: ({ call, plan }) => codec.mint({ nonce: randomUUID(), call, plan }),
    open: async (text, bound, context) => {
      try {
        // Only a codec with a bind callback reads the context of the second argument.
        const sealed = await codec.verify(text, undefined as never);
        if (sealed.call !== bound.call) return 'other_call';
        if (sealed.plan !== bound.plan) return 'changed';
        return { use: (now) => once.take(sealed.nonce, now) };
      } catch (error) {
        context.log.warn({ requestId: context.requestId, reason: String(error) }, 'seal refused');
        return 'invalid';
      }
    },
  };
}
