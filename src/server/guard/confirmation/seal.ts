import { randomUUID } from 'node:crypto';
import { createRequestStateCodec } from '@modelcontextprotocol/server';
import type { CallContext, Clock } from '../../context/index.ts';
import type { InvalidSeal } from '../../failure/index.ts';
import { monotonicClock } from '../storage/clock.ts';
import type { SingleUses } from '../storage/limits.ts';

type Uses = Pick<SingleUses, 'begin' | 'use'>;

/**
 * Single uses of this process: it remembers used ids as long as they could come back. The expiry of a seal is in the
 * seal.
 */
function ephemeralSingleUses(steady: Clock): Uses {
  const used = new Map<string, number>();
  let longest = 0;
  return {
    begin: async (_, lifetime) => {
      longest = Math.max(longest, 2 * lifetime);
      return randomUUID();
    },
    use: async (id) => {
      const now = steady.now();
      for (const [old, until] of used) if (until < now) used.delete(old);
      if (used.has(id)) return 'used_before';
      used.set(id, now + longest);
      return 'used';
    },
  };
}

/** The call and plan to which a confirmation is bound. */
export interface SealBinding {
  /** Keyed hash of principal, tool and exact arguments. */
  readonly call: string;
  /** The plan's digest. */
  readonly plan: string;
}

interface SealContent extends SealBinding {
  readonly nonce: string;
  /**
   * When it expires, by the monotonic clock of the process that sealed it. Absent if a shared store keeps that time.
   */
  readonly until?: number;
}

/** A valid seal, which can be used once. */
export interface OpenSeal {
  /** Uses it up. @returns why it is not accepted, if it was used before or expired; undefined if it is. */
  use(): Promise<'used' | 'invalid' | undefined>;
}

/** Seals a text that a caller passes back, so that it is valid for one call only, and once. */
export interface Sealer {
  seal(bound: SealBinding): Promise<string>;
  open(text: string, bound: SealBinding, context: CallContext): Promise<OpenSeal | InvalidSeal>;
}

/** State with which servers accept each other's seals. */
export interface SharedSeals {
  readonly singleUses: Uses;
  /** Newest first: the first one seals, all of them open. At least one. */
  readonly keys: () => readonly Uint8Array[];
}

type Codec = ReturnType<typeof createRequestStateCodec<SealContent>>;

/** Codecs by their key. Keys are few and rarely replaced. */
function codecsFor(lifetime: number): (key: Uint8Array) => Codec {
  const codecs = new WeakMap<Uint8Array, Codec>();
  return (key) => {
    const codec = codecs.get(key) ?? createRequestStateCodec<SealContent>({ key, ttlSeconds: lifetime });
    codecs.set(key, codec);
    return codec;
  };
}

/** Opens a text with the first key that fits. @throws Error that says why none does. */
async function verifyWithAny(codecs: readonly Codec[], text: string): Promise<SealContent> {
  let reason: unknown = new Error('there is no key');
  for (const codec of codecs) {
    try {
      // Only a codec with a bind callback uses the second argument, its context.
      // The newest key nearly always fits.
      return await codec.verify(text, undefined as never);
    } catch (error) {
      reason = error;
    }
  }
  throw reason;
}

/**
 * Seals that are valid in this process or, if they are shared, in all processes of the store. Those of one process
 * expire by a monotonic clock, and shared ones by the time of the store, so a system clock that steps back doesn't
 * extend them.
 * @param source a key of this process, or what servers share.
 * @param lifetime of a seal, in seconds.
 */
export function createSealer(
  source: Uint8Array | SharedSeals,
  lifetime: number,
  clock: Clock = { now: Date.now },
): Sealer {
  const steady = monotonicClock(clock);
  const isShared = !(source instanceof Uint8Array);
  const { singleUses, keys }: SharedSeals = isShared
    ? source
    : { singleUses: ephemeralSingleUses(steady), keys: () => [source] };
  const codecOf = codecsFor(lifetime);
  const milliseconds = lifetime * 1000;
  return {
    seal: async ({ call, plan }) => {
      const [newest] = keys();
      if (!newest) throw new Error('nothing can be sealed without a key');
      const nonce = await singleUses.begin(clock.now(), milliseconds);
      return codecOf(newest).mint({ nonce, call, plan, ...(!isShared && { until: steady.now() + milliseconds }) });
    },
    open: async (text, bound, context) => {
      // Read the clock first, even if the text is invalid: a seal that has expired must stay expired.
      const now = steady.now();
      try {
        const sealed = await verifyWithAny(keys().map(codecOf), text);
        if (sealed.until !== undefined && sealed.until <= now) throw new Error('expired');
        if (sealed.call !== bound.call) return 'other_call';
        if (sealed.plan !== bound.plan) return 'changed';
        return {
          use: async () => {
            const use = await singleUses.use(sealed.nonce, clock.now());
            return use === 'used' ? undefined : use === 'used_before' ? 'used' : 'invalid';
          },
        };
      } catch (error) {
        context.log.warn({ requestId: context.requestId, reason: String(error) }, 'seal refused');
        return 'invalid';
      }
    },
  };
}
