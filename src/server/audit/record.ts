import type { CallContext } from '../context/context.ts';
import type { Target } from '../context/target.ts';
import type { Effect } from '../../contract/operation.ts';

/**
 * How a call was agreed to: by nobody, as nobody has to; through the client's form; in the operator's terminal or on
 * their page; by the caller itself. Never claims that a human did.
 */
export type Confirmed = 'not_needed' | 'elicited' | 'terminal' | 'page' | 'unattended';

/** What the arguments of a call point at, as far as it is known without asking. Holds nothing that may not be shown. */
export interface Subject extends Pick<Target, 'kind' | 'id' | 'name'> {
  /** Names from the project down. */
  readonly path?: string;
  /** How many more things it points at, beside what this one lies in. */
  readonly more?: number;
}

/** What is known of a call so far. */
export interface CallFacts {
  readonly tool: string;
  readonly principal: string;
  /** How the caller reached this server. */
  readonly connection?: string;
  readonly requestId: string;
  readonly tier?: Effect;
  /** What a change acts on. */
  readonly target?: Target;
  readonly subject?: Subject;
  /** Digest of the plan. */
  readonly plan?: string;
  readonly confirmed?: Confirmed;
}

/** A changing call that is about to be carried out. */
export type Intent = CallFacts & Required<Pick<CallFacts, 'tier' | 'target' | 'plan' | 'confirmed'>>;

/** What came of a call. `unknown`: it was sent, and nobody knows whether it was carried out. */
export const outcomes = ['done', 'planned', 'asked', 'pending', 'denied', 'refused', 'failed', 'unknown'] as const;

export interface Outcome extends CallFacts {
  readonly outcome: (typeof outcomes)[number];
  /** Why it came to nothing, in a word. */
  readonly why?: string;
  /** From the call's beginning, in milliseconds. */
  readonly duration: number;
}

/** Writes down what is about to happen and what came of it. When the intent can't be written, the call isn't made. */
export interface Recorder {
  intent(intent: Intent, context: CallContext): Promise<void>;
  outcome(outcome: Outcome, context: CallContext): Promise<void>;
}

/** What the operator decided about a call that waited. */
export interface Decision extends Pick<Intent, 'tool' | 'tier' | 'target' | 'plan'> {
  /** `not_made`: it was on record already when another decision, or the end of its time, turned out to have come before. */
  readonly verdict: 'approved' | 'refused' | 'not_made';
  /** Where they decided. */
  readonly how: Extract<Confirmed, 'terminal' | 'page'>;
  /** The code that the call waited under. */
  readonly code: string;
  /** Who made the call. */
  readonly caller: string;
}

/** Puts a decision on record; it is there when this returns. @throws Error when it could not be written: then nothing is decided. */
export type RecordDecision = (decision: Decision) => Promise<void>;

/** The same recorder, told only of calls that changed something or went wrong. */
export const exceptionsOnly = (recorder: Recorder): Recorder => ({
  ...recorder,
  outcome: async (outcome, context) => (outcome.outcome === 'done' && outcome.confirmed === undefined ? undefined : recorder.outcome(outcome, context)),
});

/** Records to the call's own log. */
export const logRecorder: Recorder = {
  intent: async (intent, { log }) => log.info({ ...intent }, 'call about to change the platform'),
  outcome: async (outcome, { log }) => log.info({ ...outcome }, 'call ended'),
};
