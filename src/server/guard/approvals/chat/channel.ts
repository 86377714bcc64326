import type * as z from 'zod';
import { issueTexts } from '../../../../contract/index.ts';
import { clockTolerance } from '../../../context/index.ts';
import type { Decided, DecisionOutcome } from '../approval-queue.ts';
import type { Pending } from '../pending-calls.ts';

/** A decision that came from a chat and is proven to come from there. What it says is not checked yet. */
export interface ChatDecision {
  readonly code: string;
  /** The digest of the plan that the person saw. */
  readonly plan: string;
  /** The chat's id of the person. */
  readonly user: string;
  readonly verdict: 'approve' | 'refuse';
  /** The path that the person typed. */
  readonly typed?: string | undefined;
  readonly reason?: string | undefined;
  readonly channel?: string | undefined;
  readonly message?: string | undefined;
}

/** A request from a chat, as it arrived. */
export interface ChatRequest {
  readonly headers: Pick<Headers, 'get'>;
  /** The body's bytes as text: signatures cover it as it is. */
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What a chat is told of its request, as a code, a status of HTTP, and a sentence for the person who pressed the button. */
export interface ChatReply {
  readonly status: 200 | 400 | 401 | 403 | 409 | 422 | 503;
  readonly result:
    | Decided['kind']
    /** The chat shows a form, and the person goes on there. */
    | 'form_open'
    | 'no_form'
    /** Nothing was asked for, as by a link. */
    | 'nothing'
    | 'unproven'
    | 'malformed'
    | 'repeated'
    | 'unknown_user'
    | 'other_plan'
    | 'not_typed'
    | 'not_recorded';
  readonly text: string;
}

/** The answer to a request of a chat, in the form that this chat reads. */
export interface ChatAnswer {
  readonly status: number;
  /** Sent as JSON. Without it, the answer is empty. */
  readonly body?: object | undefined;
}

/** The answer that says everything, for whatever has no form of its own for it. */
export const plainAnswer = ({ status, result, text }: ChatReply): ChatAnswer => ({ status, body: { result, text } });

/** A request of a chat that was proven and read. */
export interface ReadRequest {
  /** Identifies the request, which counts once. Absent where the chat repeats requests with the same content. */
  readonly id?: string | undefined;
  /** Absent if the request decides nothing. */
  readonly decision?: ChatDecision | undefined;
  /**
   * Asks the person in the chat for what a decision lacks: the path, or why they refuse. Absent where it lacks nothing.
   * Rejects if the chat can't ask.
   */
  readonly openForm?: ((pending: Pending) => Promise<void>) | undefined;
  readonly answer: (reply: ChatReply) => ChatAnswer;
}

/** Why a request from a chat isn't read. `unproven`: it doesn't come from there, or is too old. */
export interface UnreadRequest {
  readonly unread: 'unproven' | 'malformed';
  /** A sentence for whoever maintains the sender. It says nothing that helps to forge a request. */
  readonly why: string;
}

/** A place where a team talks, and decides. */
export interface ChatChannel {
  /** Tells the channel that a call waits. Returns at once and never throws: the call waits whether it arrives or not. */
  readonly post: (pending: Pending) => void;
  /** Tells the channel what became of a call. Returns at once and never throws. */
  readonly edit: (pending: Pending, outcome: DecisionOutcome) => void;
  /** Verifies and reads a request. */
  readonly read: (request: ChatRequest) => ReadRequest | UnreadRequest;
  readonly close: () => Promise<void>;
}

/** A request that wasn't proven to come from the chat. */
export const unproven = (why: string): UnreadRequest => ({ unread: 'unproven', why });

/** Says that a request is too old or too new. */
export const untimely = unproven(
  `The time of the request is more than ${clockTolerance / 60_000} minutes from that of this server. Set both clocks, and send it again with the present time.`,
);

/** Reads a value by a schema. */
export function readAs<Schema extends z.ZodType>(value: unknown, schema: Schema): z.output<Schema> | UnreadRequest {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  return { unread: 'malformed', why: `It is no decision: ${issueTexts(read.error, 'the body').join('; ')}.` };
}
