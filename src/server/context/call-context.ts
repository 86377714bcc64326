import type { Credential, Logger, RequestBudget, Trace } from '../../client/index.ts';
import type { AnyOperation } from '../../contract/index.ts';

/** The time in milliseconds since 1970, replaceable in tests. */
export interface Clock {
  now(): number;
  /** Waits some milliseconds. Rejects if the signal is aborted. Default: a real timer. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** The levels of a log. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The part of a logger that calls use; a pino logger implements it. */
export interface ServerLogger extends Logger {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Whether lines of a level are written, so that others needn't be made. Default: all are. */
  isLevelEnabled?(level: LogLevel): boolean;
}

/** The user's response to a form: an answer, a refusal, or a dismissal. */
export type UserAnswer =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' };

/**
 * The failure of a client that declared it can ask its user. The user said neither yes nor no. `no_such_method`: it
 * knows no such request (-32601). `client_error`: it returned another error. `unusable_answer`: it returned something
 * that is no answer. `unanswered`: it returned nothing in time.
 */
export type AskingFailure = 'no_such_method' | 'client_error' | 'unusable_answer' | 'unanswered';

/** The server's memory of a client: whether questions to it get an answer. */
export interface ClientMemory {
  /**
   * Why the client is not asked; undefined if it is.
   * @param call identifies the call; without it, the reason that applies to all calls.
   */
  failure(call?: string): AskingFailure | undefined;
  /** Notes that a question about this call is sent. */
  asked(call: string): void;
  /** Notes that the user answered, whatever the answer. */
  answered(): void;
  failed(why: AskingFailure): void;
}

/** The client's channel to its user, and the user's response. */
export interface Dialogue {
  /** Whether the client declares that it can show its user a form. */
  readonly canAsk: boolean;
  /** The sealed state that was sent with the question, as the client returned it. */
  readonly state?: string;
  readonly answer?: UserAnswer;
  /** Why there is no answer, if the client returned something else. */
  readonly failure?: AskingFailure;
  /** Default: no memory. */
  readonly memory?: ClientMemory;
}

/** A count of requests to the platform. */
export interface RequestCount {
  /** How many there are so far, without repetitions after a failure. */
  readonly sent: () => number;
  readonly add: () => void;
}

/** Creates a count that begins at 0. */
export function countRequests(): RequestCount {
  let count = 0;
  return { sent: () => count, add: () => void (count += 1) };
}

/** Everything about one call except its arguments. */
export interface CallContext {
  /** The caller. Caches, budgets and confirmations are keyed by it. */
  readonly principal: string;
  /** The caller's identity, whatever its credential: limits per caller are counted by it. Default: the principal. */
  readonly identity?: string;
  /** The conversation in which a person asks through the caller, if it names one. It proves nothing. */
  readonly conversation?: string | undefined;
  /** How the caller reached this server, for the record. */
  readonly connection?: string;
  /** The name that the client gives itself, for the record. */
  readonly clientName?: string | undefined;
  /** The credential for the platform. Default: that of the client. */
  readonly credential?: Credential;
  /** Called when the platform rejects the credential. */
  readonly credentialRefused?: () => void;
  /** Aborted when the caller cancels. */
  readonly signal: AbortSignal;
  /** The time by which the call must end, in milliseconds since 1970. */
  readonly deadline: number;
  readonly requestId: string;
  /** The caller's trace, if it sent one. */
  readonly trace?: Trace;
  /** The remaining request budget, once a response has reported it. */
  readonly budget: () => RequestBudget | undefined;
  /** Counts the requests of the call; absent for a call that doesn't tell what it took. */
  readonly requests?: RequestCount;
  /** Whether the platform is known not to offer an operation. */
  readonly lacks: (operation: AnyOperation) => boolean;
  readonly log: ServerLogger;
  readonly clock: Clock;
  readonly dialogue: Dialogue;
  /** Whether the client shows views: its answers get the facts that these draw. */
  readonly showsViews?: boolean;
  /** Reports progress to the caller; absent if it didn't ask for it. */
  readonly progress?: (message: string) => void;
}

/** The longest time for a call, in milliseconds: clients time out after 60 seconds. */
export const maximumCallTime = 50_000;
