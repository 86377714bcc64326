import type { AnyOperation } from '../contract/index.ts';
import type { RequestBudget } from './budget.ts';
import type { Trace } from './request.ts';
import type { TransportFault } from './transport-fault.ts';

/** One request that is about to be sent. */
export interface AttemptedRequest {
  readonly operation: AnyOperation;
  /** From 1. Larger for a request that is sent again. */
  readonly attempt: number;
  /** The trace that the request is part of. */
  readonly trace?: Trace;
}

/** The end of a request: its status, or the fault that prevented one. */
export type RequestEnd = { readonly status: number } | { readonly fault: TransportFault['kind'] };

/** A request that is being sent. */
export interface ObservedRequest {
  /** The trace to send with it. Default: the trace of the attempted request. */
  readonly trace?: Trace;
  readonly end: (end: RequestEnd) => void;
}

/**
 * Observes the requests of a client as they are sent, each attempt separately. It never sees their content. Its
 * functions don't throw.
 */
export interface RequestObserver {
  readonly begin: (request: AttemptedRequest) => ObservedRequest;
  /** Receives a function that returns the lowest budget of the client's credentials, undefined while none is known. */
  readonly watchBudget: (lowest: () => RequestBudget | undefined) => void;
}
