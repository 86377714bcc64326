import type { CallContext, Clock, Target } from '../context/index.ts';
import type { Effect } from '../../contract/index.ts';
import type { JsonRecord } from '../json/index.ts';
import type { AuditLog } from './audit-log.ts';

/**
 * How a call was confirmed: not at all, because it needs no confirmation; in the client's form; in the operator's
 * terminal, on their page or in their chat; by the caller itself. It never claims that a human confirmed it.
 */
export type ConfirmedBy = 'not_needed' | 'elicited' | 'terminal' | 'page' | 'chat' | 'unattended';

/** The resource that a call's arguments refer to, as far as it is known without a request. Contains no secrets. */
export interface CallSubject extends Pick<Target, 'kind' | 'id' | 'name'> {
  /** Names from the project down. */
  readonly path?: string;
  /** How many more resources the arguments refer to, not counting those that contain this one. */
  readonly more?: number;
}

/** The facts known about a call so far. */
export interface CallFacts {
  readonly tool: string;
  readonly principal: string;
  /** The conversation in which a person asked through the caller, if it named one. It proves nothing. */
  readonly conversation?: string | undefined;
  /** How the caller reached this server. */
  readonly connection?: string;
  /** The name that the client gives itself. It proves nothing. */
  readonly clientName?: string | undefined;
  readonly requestId: string;
  readonly tier?: Effect;
  /** The target of a change. */
  readonly target?: Target;
  readonly subject?: CallSubject;
  /** Digest of the plan. */
  readonly plan?: string;
  readonly confirmed?: ConfirmedBy;
  /** The operators who agreed, if they have names. */
  readonly agreedBy?: readonly string[] | undefined;
  /** Why the client's user wasn't asked, or didn't answer, if the call waits for the operator. */
  readonly instead?: string;
}

/** A call that is about to change the platform. */
export type Intent = CallFacts & Required<Pick<CallFacts, 'tier' | 'target' | 'plan' | 'confirmed'>>;

/** The outcome of a call. `unknown`: it was sent, but it is not known whether it was executed. */
export const outcomes = ['done', 'planned', 'asked', 'pending', 'denied', 'refused', 'failed', 'unknown'] as const;

export interface CallOutcome extends CallFacts {
  readonly outcome: (typeof outcomes)[number];
  /** Why it didn't succeed, as a code. */
  readonly why?: string;
  /** Time since the start of the call, in milliseconds. */
  readonly duration: number;
}

/** Records the intent of a call, and its outcome. If the intent can't be recorded, the call isn't executed. */
export interface Recorder {
  intent(intent: Intent, context: CallContext): Promise<void>;
  outcome(outcome: CallOutcome, context: CallContext): Promise<void>;
}

/** The operator's decision about a waiting call. */
export interface Decision extends Pick<Intent, 'tool' | 'tier' | 'target' | 'plan'> {
  /**
   * `not_made`: after it was recorded, it turned out that another decision or the expiry of the call had come first.
   */
  readonly verdict: 'approved' | 'refused' | 'not_made';
  /** Where the operator decided. */
  readonly how: Extract<ConfirmedBy, 'terminal' | 'page' | 'chat'>;
  /** The operator's name, if they have one. */
  readonly operator?: string;
  /** Why they refused, as the caller is told. */
  readonly reason?: string;
  /** The chat's channel and message in which they decided. */
  readonly channel?: string;
  readonly message?: string;
  /** The code of the waiting call. */
  readonly code: string;
  /** The principal who made the call. */
  readonly caller: string;
  /** The conversation in which it was asked for, if a bot named one. */
  readonly conversation?: string;
}

/** Records a decision durably. @throws Error if it can't be written: then the decision doesn't take effect. */
export type RecordDecision = (decision: Decision) => Promise<void>;

/** A recorder that skips the outcome of calls that succeeded without changing anything. */
export const exceptionsOnly = (recorder: Recorder): Recorder => ({
  ...recorder,
  outcome: async (outcome, context) =>
    outcome.outcome === 'done' && outcome.confirmed === undefined ? undefined : recorder.outcome(outcome, context),
});

/** Records in the call's own log. */
export const logRecorder: Recorder = {
  intent: async (intent, { log }) => log.info({ ...intent }, 'call about to change the platform'),
  outcome: async (outcome, { log }) => log.info({ ...outcome }, 'call ended'),
};

/** The recorded target: for a change its target, for a read the resource that its arguments refer to. */
function recordedTarget({ tier, target, subject }: CallFacts): JsonRecord | undefined {
  if (tier === 'read' || target === undefined) return subject ? { ...subject } : target && { ...target };
  return { ...(subject?.id === target.id && subject?.path !== undefined && { path: subject.path }), ...target };
}

/** The facts of a call, with the member names of the log. */
const entryOf = (facts: CallFacts): JsonRecord => {
  const { requestId, principal, conversation, connection, clientName, tool, tier, plan, confirmed, agreedBy, instead } =
    facts;
  return {
    request_id: requestId,
    who: principal,
    conversation,
    connection,
    client: clientName,
    tool,
    tier,
    target: recordedTarget(facts),
    plan,
    confirmed,
    agreed_by: agreedBy,
    instead,
  };
};

const timestamp = (clock: Clock): string => new Date(clock.now()).toISOString();

/** How the log calls an operator. @param name the operator's; undefined for the one operator without a name. */
export const operatorPrincipal = (name: string | undefined): string =>
  name === undefined ? 'operator' : `operator:${name}`;

/** Records the operator's decisions in an audit log. A decision survives a loss of power before it takes effect. */
export const auditDecisions =
  (auditLog: AuditLog, clock: Clock): RecordDecision =>
  ({ how, operator, conversation, ...decision }) =>
    auditLog.append(
      {
        at: timestamp(clock),
        kind: 'decision',
        who: operatorPrincipal(operator),
        confirmed: how,
        ...decision,
        asked_in: conversation,
      },
      true,
    );

/**
 * Records calls in an audit log. The intent and the outcome of a change are on disk when the promise resolves; the
 * outcome of a read is written in the background.
 */
export function auditRecorder(auditLog: AuditLog, clock: Clock): Recorder {
  return {
    intent: (intent) => auditLog.append({ at: timestamp(clock), kind: 'intent', ...entryOf(intent) }, true),
    outcome: async ({ outcome, why, duration, ...facts }, { log, requestId }) => {
      const hadIntent = facts.confirmed !== undefined && facts.tier !== 'read';
      const recorded = auditLog.append(
        { at: timestamp(clock), kind: 'outcome', ...entryOf(facts), outcome, why, duration_ms: duration },
        hadIntent,
      );
      if (hadIntent) return recorded;
      recorded.catch((error: unknown) => log.error({ err: error, requestId }, 'outcome not recorded'));
      return undefined;
    },
  };
}
