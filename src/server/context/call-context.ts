import type { RequestBudget } from '../../client/budget.ts';
import type { Logger } from '../../client/client.ts';
import type { Credential } from '../../client/credential.ts';
import type { Trace } from '../../client/request.ts';
import type { AnyOperation } from '../../contract/operation.ts';

/** Milliseconds since 1970, replaceable in tests. */
export interface Clock {
  now(): number;
}

/** The part of a logger that calls use; a pino logger fits. */
export interface ServerLogger extends Logger {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What the user did with a question: gave an answer, said no, or sent it away. */
export type UserAnswer =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' };

/** The way to the user that a client offers, and what came back along it. */
export interface Dialogue {
  /** Whether the client can show its user a form. */
  readonly canAsk: boolean;
  /** The sealed state that went out with the question, as the client returned it. */
  readonly state?: string;
  readonly answer?: UserAnswer;
}

/** Everything about one call that is not its arguments. */
export interface CallContext {
  /** Who calls. Caches, budgets and confirmations are keyed by it. */
  readonly principal: string;
  /** Who that is, whatever right on the platform it brought along: by it is counted what a caller takes up. Default: the principal. */
  readonly identity?: string;
  /** How the caller reached this server, for the record. */
  readonly connection?: string;
  /** What the platform is called with, where it isn't the client's own. */
  readonly credential?: Credential;
  /** Told when the platform refuses the credential. */
  readonly credentialRefused?: () => void;
  /** Aborted when the caller gave up. */
  readonly signal: AbortSignal;
  /** When an answer must be there, in milliseconds since 1970. */
  readonly deadline: number;
  readonly requestId: string;
  /** The trace that the call is part of, where the caller named one. */
  readonly trace?: Trace;
  /** What remains of the platform's request budget, once an answer told. */
  readonly budget: () => RequestBudget | undefined;
  /** Whether the platform is known not to have an operation. */
  readonly lacks: (operation: AnyOperation) => boolean;
  readonly log: ServerLogger;
  readonly clock: Clock;
  readonly dialogue: Dialogue;
  /** Tells the caller how far the call is, where it asked for that. */
  readonly progress?: (message: string) => void;
}

/** Longest a call takes, in milliseconds: clients give up after 60 seconds. */
export const maximumCallTime = 50_000;
