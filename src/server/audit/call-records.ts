import type { CallContext, Clock } from '../context/call-context.ts';
import type { Target } from '../context/target.ts';
import type { Effect } from '../../contract/operation.ts';
import type { JsonRecord } from '../json/values.ts';
import type { AuditLog } from './audit-log.ts';

/**
 * How a call was agreed to: by nobody, as nobody has to; through the client's form; in the operator's terminal or on
 * their page; by the caller itself. Never claims that a human did.
 */
export type ConfirmedBy = 'not_needed' | 'elicited' | 'terminal' | 'page' | 'unattended';

/** What the arguments of a call point at, as far as it is known without asking. Holds nothing that may not be shown. */
export interface CallSubject extends Pick<Target, 'kind' | 'id' | 'name'> {
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
  readonly subject?: CallSubject;
  /** Digest of the plan. */
  readonly plan?: string;
  readonly confirmed?: ConfirmedBy;
}

/** A changing call that is about to be carried out. */
export type Intent = CallFacts & Required<Pick<CallFacts, 'tier' | 'target' | 'plan' | 'confirmed'>>;

/** What came of a call. `unknown`: it was sent, and nobody knows whether it was carried out. */
export const outcomes = ['done', 'planned', 'asked', 'pending', 'denied', 'refused', 'failed', 'unknown'] as const;

export interface CallOutcome extends CallFacts {
  readonly outcome: (typeof outcomes)[number];
  /** Why it came to nothing, in a word. */
  readonly why?: string;
  /** From the call's beginning, in milliseconds. */
  readonly duration: number;
}

/** Writes down what is about to happen and what came of it. When the intent can't be written, the call isn't made. */
export interface Recorder {
  intent(intent: Intent, context: CallContext): Promise<void>;
  outcome(outcome: CallOutcome, context: CallContext): Promise<void>;
}

/** What the operator decided about a call that waited. */
export interface Decision extends Pick<Intent, 'tool' | 'tier' | 'target' | 'plan'> {
  /** `not_made`: it was on record already when another decision, or the end of its time, turned out to have come before. */
  readonly verdict: 'approved' | 'refused' | 'not_made';
  /** Where they decided. */
  readonly how: Extract<ConfirmedBy, 'terminal' | 'page'>;
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

/** What a call is about: of a change what it acts on, of a read what its arguments point at. */
function recordedTarget({ tier, target, subject }: CallFacts): JsonRecord | undefined {
  if (tier === 'read' || target === undefined) return subject ? { ...subject } : target && { ...target };
  return { ...(subject?.id === target.id && subject?.path !== undefined && { path: subject.path }), ...target };
}

/** A call's facts under the names of the log. */
const entryOf = (facts: CallFacts): JsonRecord => {
  const { requestId, principal, connection, tool, tier, plan, confirmed } = facts;
  return { request_id: requestId, who: principal, connection, tool, tier, target: recordedTarget(facts), plan, confirmed };
};

const timestamp = (clock: Clock): string => new Date(clock.now()).toISOString();

/** Records what the operator decides in a trail; it survives a loss of power before anything comes of it. */
export const auditDecisions = (trail: AuditLog, clock: Clock): RecordDecision => ({ how, ...decision }) =>
  trail.append({ at: timestamp(clock), kind: 'decision', who: 'operator', confirmed: how, ...decision }, true);

/**
 * Records calls in a trail. What is about to change something is on disk before this returns, and so is what came of it;
 * reads are written down without anyone waiting for it.
 */
export function auditRecorder(trail: AuditLog, clock: Clock): Recorder {
  return {
    intent: (intent) => trail.append({ at: timestamp(clock), kind: 'intent', ...entryOf(intent) }, true),
    outcome: async ({ outcome, why, duration, ...facts }, { log, requestId }) => {
      const hadIntent = facts.confirmed !== undefined && facts.tier !== 'read';
      const written = trail.append({ at: timestamp(clock), kind: 'outcome', ...entryOf(facts), outcome, why, duration_ms: duration }, hadIntent);
      if (hadIntent) return written;
      written.catch((error: unknown) => log.error({ err: error, requestId }, 'outcome not recorded'));
      return undefined;
    },
  };
}
