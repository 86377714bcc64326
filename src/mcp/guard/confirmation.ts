import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createRequestStateCodec } from '@modelcontextprotocol/server';
import type { CallContext } from '../context.ts';
import { isRecord, type JsonRecord } from '../values.ts';
import { agrees, type Question } from './question.ts';
import type { Confirmed } from './record.ts';

/** Why a confirmation came to nothing. */
export type Refusal =
  /** The client has no way to show a form. */
  | 'cannot_ask'
  | 'declined'
  | 'dismissed'
  /** The form was sent, but what it says isn't agreement. */
  | 'not_agreed'
  /** The sealed state was changed, is too old, or was sealed by another process. */
  | 'invalid'
  /** The answer was used before. */
  | 'used'
  /** The answer belongs to another call, or what the call acts on has changed since. */
  | 'other_call'
  /** The call was cancelled while the user was asked. */
  | 'late';

/** Whether a call may go on. A value, so that whoever handles a call can be entered again with the answer. */
export type Confirmation =
  | { readonly kind: 'approved'; readonly how: Confirmed }
  | { readonly kind: 'needs_input'; readonly question: Question; readonly state: string }
  | { readonly kind: 'pending'; readonly code: string }
  | { readonly kind: 'refused'; readonly why: Refusal };

/** What is to be agreed to. */
export interface Request {
  readonly tool: string;
  readonly args: JsonRecord;
  readonly question: Question;
}

export interface Confirmer {
  /** Asks, or reads the answer that came back. Has no effect but to use up the answer. */
  confirm(request: Request, context: CallContext): Promise<Confirmation>;
}

interface Sealed {
  readonly nonce: string;
  readonly digest: string;
}

/** How long a question stays open, in seconds. */
export const questionLifetime = 600;

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.keys(value).toSorted().map((name) => [name, canonical(value[name])]));
};

// The question says what is acted on and in which mode, as just read: when that changed, so did the question.
const digestOf = ({ tool, args, question }: Request, principal: string): string =>
  createHash('sha256').update(JSON.stringify([principal, tool, canonical(args), question.message, question.typed])).digest('base64url');

/** Remembers which answers were used, for as long as they could be sent again. */
function createOnce(lifetime: number) {
  const used = new Map<string, number>();
  return {
    /** True the first time only. */
    take(nonce: string, now: number): boolean {
      for (const [old, until] of used) if (until < now) used.delete(old);
      if (used.has(nonce)) return false;
      used.set(nonce, now + lifetime);
      return true;
    },
  };
}

const refused = (why: Refusal): Confirmation => ({ kind: 'refused', why });

/**
 * Asks users through their client. Questions are sealed to tool, exact arguments, what was asked, principal and
 * time; each can be answered once. The key lives as long as the process, unless one is given.
 */
export function createConfirmer({ key = randomBytes(32) }: { key?: Uint8Array } = {}): Confirmer {
  const codec = createRequestStateCodec<Sealed>({ key, ttlSeconds: questionLifetime });
  const once = createOnce(2 * questionLifetime * 1000);

  const ask = async (request: Request, digest: string): Promise<Confirmation> => ({
    kind: 'needs_input',
    question: request.question,
    state: await codec.mint({ nonce: randomUUID(), digest }),
  });

  const open = async (state: string, context: CallContext): Promise<Sealed | undefined> => {
    try {
      // Only a codec with a bind callback reads the context of the second argument.
      return await codec.verify(state, undefined as never);
    } catch (error) {
      context.log.warn({ requestId: context.requestId, reason: String(error) }, 'confirmation state refused');
      return undefined;
    }
  };

  return {
    async confirm(request, context) {
      const { canAsk, state, answer } = context.dialogue;
      if (!canAsk) return refused('cannot_ask');
      const digest = digestOf(request, context.principal);
      if (state === undefined) return ask(request, digest);
      const sealed = await open(state, context);
      if (!sealed) return refused('invalid');
      if (sealed.digest !== digest) return refused('other_call');
      if (!answer) return ask(request, digest);
      if (!once.take(sealed.nonce, context.clock.now())) return refused('used');
      if (context.signal.aborted) return refused('late');
      if (answer.action !== 'accept') return refused(answer.action === 'decline' ? 'declined' : 'dismissed');
      return agrees(request.question, answer.content) ? { kind: 'approved', how: 'elicited' } : refused('not_agreed');
    },
  };
}
