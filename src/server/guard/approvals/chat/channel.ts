import type { DecisionOutcome } from '../approval-queue.ts';
import type { Pending } from '../pending-calls.ts';

/** A decision that came from a chat and is proven to come from there. What it says is not checked yet. */
export interface ChatDecision {
  /** Identifies the request: it counts once. */
  readonly id: string;
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
  readonly headers: Headers;
  /** The body's bytes as text: signatures cover it as it is. */
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly now: number;
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
  /** Verifies and reads a decision. */
  readonly read: (request: ChatRequest) => ChatDecision | UnreadRequest;
  readonly close: () => Promise<void>;
}

/** How far the clock of a chat may differ, in milliseconds. */
export const clockTolerance = 5 * 60_000;
