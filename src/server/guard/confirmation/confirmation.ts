import { createHmac } from 'node:crypto';
import {
  ephemeralKeys,
  type AskingFailure,
  type CallContext,
  type KeyProvider,
  type KeyRing,
} from '../../context/index.ts';
import { canonical, type JsonRecord } from '../../json/index.ts';
import type { Approval, Approvals } from '../approvals/approvals.ts';
import type { Plan } from '../planned-call.ts';
import { fitsClient, readAgreement, type Question } from './question.ts';
import type { InsteadOfClient, Refusal, RefusedBy } from '../../failure/index.ts';
import type { CallSituation } from '../policy/match.ts';
import type { TwoPerson } from '../policy/two-person.ts';
import type { ConfirmedBy } from '../../audit/index.ts';
import type { SingleUses } from '../storage/limits.ts';
import { createSealer, type SealBinding, type Sealer } from './seal.ts';

/**
 * Whether a call may continue. It is a value, so that the call can be handled again from the start with the user's
 * answer.
 */
export type Confirmation =
  /** `by`: the operators who agreed, if they have names. */
  | { readonly kind: 'approved'; readonly how: ConfirmedBy; readonly by?: readonly string[] | undefined }
  | { readonly kind: 'needs_input'; readonly question: Question; readonly state: string }
  /**
   * The call can be repeated after the operator approved the code, or with the token. `instead`: why the client's user
   * was not asked. `agreed`: how many operators agreed, if several have to.
   */
  | {
      readonly kind: 'pending';
      readonly agreed?: { readonly count: number; readonly needed: number };
      readonly code?: string;
      readonly command?: string;
      readonly isInChat?: true;
      readonly planToken?: string;
      readonly instead?: InsteadOfClient;
    }
  | { readonly kind: 'refused'; readonly why: Refusal; readonly refusedBy?: RefusedBy };

/** A call to confirm. */
export interface ConfirmationRequest {
  /** The exact arguments that the caller gave. */
  readonly args: JsonRecord;
  readonly plan: Plan;
  readonly question: Question;
  /** The token that the caller passed back to confirm its own plan. */
  readonly planToken?: string;
  /** Whether the operator lets callers confirm such a plan themselves. */
  readonly mayBeUnattended: boolean;
  /** Whether only the operator may confirm; takes precedence over `mayBeUnattended`. */
  readonly operatorOnly: boolean;
  /** What the call carries out, and where. */
  readonly situations: readonly CallSituation[];
  /** What the policy requires beyond one operator's agreement; takes precedence over `operatorOnly`. */
  readonly twoPerson?: TwoPerson | undefined;
}

export interface Confirmer {
  /** Asks for confirmation, or reads the answer that came back. Its only effects are to ask and to use up an answer. */
  confirm(request: ConfirmationRequest, context: CallContext): Promise<Confirmation>;
}

export interface ConfirmerConfig {
  /** Keys that bind a confirmation to a call. Processes that share approvals share them. */
  readonly keys?: KeyProvider;
  readonly approvals?: Pick<Approvals, 'available' | 'ask'>;
  /**
   * State with which servers accept answers to each other's questions, and each other's plan tokens. Default: this
   * process accepts only its own.
   */
  readonly shared?: SharedAnswers;
}

/** Answers that several servers accept. */
export interface SharedAnswers {
  readonly singleUses: SingleUses;
  /** Rotating keys, newest first. They are in files, separate from the store. */
  readonly keyRing: KeyRing;
}

/** Lifetime of a question or plan token, in seconds. */
export const questionLifetime = 600;

/**
 * How long a client may take to answer if the server waits for it, in milliseconds: a minute less, so that the call
 * still has time to continue.
 */
export const answerTime = (questionLifetime - 60) * 1000;

const refused = (why: Refusal): Confirmation => ({ kind: 'refused', why });

const operatorSaysNo: Record<Exclude<Approval['kind'], 'pending' | 'approved' | 'refused'>, Confirmation> = {
  nobody_may_agree: refused('nobody_may_agree'),
  changed: refused('changed'),
  invalid: refused('invalid'),
  used: refused('used'),
  too_many_of_caller: refused('too_many_of_caller'),
  too_many_in_all: refused('too_many_in_all'),
};

/**
 * Asks for confirmation in this order. First, the user through the client. If the client shows no forms or failed to,
 * the plan is too long for one, or the policy reserves it for the operator: the operator, in a terminal or on the page.
 * If the client shows no forms and the operator allows it: the caller itself, by passing the plan's token back.
 * Otherwise the call is refused. A confirmation is bound to principal, tool, exact arguments and what the plan read,
 * and counts once.
 *
 * A client that declares forms is trusted to show them until it fails to; its memory keeps the failure. A user's
 * answer, even no, is never a failure of the client.
 */
export function createConfirmer({ keys = ephemeralKeys(), approvals, shared }: ConfirmerConfig = {}): Confirmer {
  const own = ephemeralKeys();
  const sealerFor = (purpose: 'question' | 'plan token'): Sealer =>
    createSealer(
      shared
        ? { singleUses: shared.singleUses, keys: () => shared.keyRing().map((keysOfOne) => keysOfOne(purpose)) }
        : own(purpose),
      questionLifetime,
    );
  const questions = sealerFor('question');
  const planTokens = sealerFor('plan token');

  const bind = ({ args, plan }: ConfirmationRequest, principal: string): SealBinding => ({
    call: createHmac('sha256', keys('plan'))
      .update(JSON.stringify(canonical([principal, plan.tool, args])))
      .digest('base64url'),
    plan: plan.digest,
  });

  const askUser = async (
    { question }: ConfirmationRequest,
    bound: SealBinding,
    { dialogue }: CallContext,
  ): Promise<Confirmation> => {
    const state = await questions.seal(bound);
    dialogue.memory?.asked(bound.call);
    return { kind: 'needs_input', question, state };
  };

  async function throughClient(
    request: ConfirmationRequest,
    bound: SealBinding,
    context: CallContext,
  ): Promise<Confirmation> {
    const { state, answer, failure = 'unusable_answer', memory } = context.dialogue;
    if (state === undefined) {
      const known = memory?.failure(bound.call);
      return known ? afterFailure(known, request, bound, context) : askUser(request, bound, context);
    }
    const seal = await questions.open(state, bound, context);
    if (typeof seal === 'string') return refused(seal);
    // Any response settles the question: an answer that comes after a failure doesn't count in addition to what
    // replaced it.
    const unusable = await seal.use();
    if (unusable) return refused(unusable);
    if (context.signal.aborted) return refused('late');
    const said = answer?.action === 'accept' ? readAgreement(request.question, answer.content) : answer?.action;
    if (said === undefined || said === 'unusable') {
      memory?.failed(failure);
      return afterFailure(failure, request, bound, context);
    }
    memory?.answered();
    if (said === 'agreed') return { kind: 'approved', how: 'elicited' };
    return refused(said === 'decline' ? 'declined' : said === 'cancel' ? 'dismissed' : said);
  }

  async function byToken(token: string, bound: SealBinding, context: CallContext): Promise<Confirmation> {
    const seal = await planTokens.open(token, bound, context);
    if (typeof seal === 'string') return refused(seal);
    const unusable = await seal.use();
    return unusable ? refused(unusable) : { kind: 'approved', how: 'unattended' };
  }

  async function byOperator(
    { plan, question, situations, twoPerson }: ConfirmationRequest,
    bound: SealBinding,
    context: CallContext,
  ): Promise<Confirmation | undefined> {
    if (!approvals || !(await approvals.available())) return undefined;
    const { principal, identity = principal, clientName, conversation, clock } = context;
    const approval = await approvals.ask(
      {
        call: bound.call,
        principal,
        identity,
        clientName,
        conversation,
        plan,
        typed: question.typed,
        situations,
        twoPerson,
      },
      clock.now(),
    );
    if (approval.kind === 'pending') return approval;
    if (approval.kind === 'approved') return approval;
    if (approval.kind !== 'refused') return operatorSaysNo[approval.kind];
    const { by, reason } = approval;
    return {
      ...refused('operator_refused'),
      ...((by ?? reason) !== undefined && { refusedBy: { operator: by, reason } }),
    };
  }

  // If the user could be asked, a caller never confirms by itself: otherwise it would only have to make its plan long.
  async function insteadOfClient(
    why: InsteadOfClient,
    request: ConfirmationRequest,
    bound: SealBinding,
    context: CallContext,
  ): Promise<Confirmation> {
    if (context.signal.aborted) return refused('late');
    const settled = await byOperator(request, bound, context);
    return settled?.kind === 'pending' ? { ...settled, instead: why } : (settled ?? refused(why));
  }

  /** @param failure why a client that declares forms shows none. */
  async function withoutClient(
    request: ConfirmationRequest,
    bound: SealBinding,
    context: CallContext,
    failure?: AskingFailure,
  ): Promise<Confirmation> {
    const { planToken, mayBeUnattended } = request;
    if (context.signal.aborted) return refused('late');
    if (planToken !== undefined && mayBeUnattended) return byToken(planToken, bound, context);
    const offered = {
      ...(failure && { instead: failure }),
      ...(mayBeUnattended && { planToken: await planTokens.seal(bound) }),
    };
    const settled = await byOperator(request, bound, context);
    // If no more calls may wait for the operator, the caller can still confirm by itself.
    const isFull =
      settled?.kind === 'refused' && (settled.why === 'too_many_of_caller' || settled.why === 'too_many_in_all');
    if (settled && !(isFull && mayBeUnattended))
      return settled.kind === 'pending' ? { ...settled, ...offered } : settled;
    return mayBeUnattended ? { kind: 'pending', ...offered } : refused(failure ?? 'cannot_ask');
  }

  // A client that doesn't know the request is like one that declares no forms. Other clients have a user who could be
  // asked, and may have failed because of the plan's content: then the caller doesn't confirm by itself.
  const afterFailure = (
    why: AskingFailure,
    request: ConfirmationRequest,
    bound: SealBinding,
    context: CallContext,
  ): Promise<Confirmation> =>
    why === 'no_such_method'
      ? withoutClient(request, bound, context, why)
      : insteadOfClient(why, request, bound, context);

  return {
    confirm: (request, context) => {
      const bound = bind(request, context.principal);
      // Checked before everything that the caller controls: whether its client can ask, its user's answer, a token.
      if (request.twoPerson) return insteadOfClient('two_person', request, bound, context);
      if (request.operatorOnly) return insteadOfClient('operator_only', request, bound, context);
      if (!context.dialogue.canAsk) return withoutClient(request, bound, context);
      return fitsClient(request.question)
        ? throughClient(request, bound, context)
        : insteadOfClient('too_long', request, bound, context);
    },
  };
}
