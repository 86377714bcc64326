import type { CallContext } from '../context.ts';
import type { Target } from './target.ts';
import type { Tier } from './tier.ts';

/** How a call was agreed to. Never claims that a human did. */
export type Confirmed = 'not_needed' | 'elicited';

/** A changing call that is about to be carried out. */
export interface Intent {
  readonly tool: string;
  readonly tier: Tier;
  readonly target: Target;
  readonly principal: string;
  readonly requestId: string;
  readonly confirmed: Confirmed;
}

export interface Outcome {
  readonly tool: string;
  readonly principal: string;
  readonly requestId: string;
  readonly outcome: 'done' | 'asked' | 'refused' | 'failed';
  /** From the call's beginning, in milliseconds. */
  readonly duration: number;
}

/** Writes down what is about to happen and what came of it. When the intent can't be written, the call isn't made. */
export interface Recorder {
  intent(intent: Intent, context: CallContext): Promise<void>;
  outcome(outcome: Outcome, context: CallContext): Promise<void>;
}

/** Records to the call's own log. */
export const logRecorder: Recorder = {
  intent: async (intent, { log }) => log.info({ ...intent }, 'call about to change the platform'),
  outcome: async (outcome, { log }) => log.info({ ...outcome }, 'call ended'),
};
