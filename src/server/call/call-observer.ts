import type { Trace } from '../../client/index.ts';
import type { CallOutcome } from '../audit/index.ts';

/** How an observed call ended. */
export type CallEnd = Pick<CallOutcome, 'outcome' | 'why' | 'tier' | 'confirmed'>;

/** A call that is being carried out. */
export interface ObservedCall {
  /** The trace that its requests are part of. Default: the one that it came with. */
  readonly trace?: Trace;
  /** A stage begins. */
  readonly stage?: (name: string) => void;
  readonly end: (end: CallEnd) => void;
}

/** Observes calls of tools. It never learns arguments, answers or who called. Its functions don't throw. */
export interface CallObserver {
  /** A call begins. @param tool its name; undefined if there is no such tool, or it isn't offered. */
  readonly begin: (tool: string | undefined, trace?: Trace) => ObservedCall;
}
