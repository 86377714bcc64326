import type { Effect } from '../../contract/index.ts';
import { ApiError } from '../../client/index.ts';
import type { CallOutcome } from '../audit/index.ts';
import type { AskingFailure } from '../context/index.ts';
import type { Issue, ResolvedResource, ResourceKind, ToolText } from '../tool/index.ts';

/** Why a tool may not run: the rule, where it is set, and what is allowed instead. */
export interface Denial {
  readonly rule: string;
  readonly setBy: string;
  readonly instead: string;
}

/** Why a reference could not be resolved. */
export interface ResolutionProblem {
  readonly kind: ResourceKind;
  readonly reference: string;
  /**
   * `not_listable`: the platform can't list the candidates, and no resource seen earlier matches; `not_readable`: not
   * all lists of candidates could be read; `is_secret`: no variable has the key, but a secret has it.
   */
  readonly why: 'unknown' | 'ambiguous' | 'not_listable' | 'not_readable' | 'wrong_kind' | 'bad_uri' | 'is_secret';
  /** The resources that it could mean. */
  readonly candidates: readonly ResolvedResource[];
  /** Existing resources, those with the most similar names first. */
  readonly suggestions: readonly ResolvedResource[];
  /** The part of a path that doesn't exist. */
  readonly missing?: { readonly kind: ResourceKind; readonly name: string };
  /** Whether the policy prevents the caller from searching for it. */
  readonly isSearchDenied?: boolean;
  /** Why a row of that name in a list can't be used, as a whole sentence. */
  readonly unusable?: string;
  /** Further notes by this server, as whole sentences. */
  readonly notes: readonly string[];
}

/** A problem without candidates, suggestions or notes. */
export const emptyProblem = (
  kind: ResourceKind,
  reference: string,
  why: 'unknown' | 'wrong_kind' | 'bad_uri',
): ResolutionProblem => ({ kind, reference, why, candidates: [], suggestions: [], notes: [] });

/** Why a seal is not valid for a call. */
export type InvalidSeal =
  /** Changed, too old, or sealed by another process. */
  | 'invalid'
  /** It belongs to another call. */
  | 'other_call'
  /** The target of the call has changed since. */
  | 'changed'
  | 'used';

/**
 * Why the operator is asked instead of the client's user: the plan is longer than a client's question may be, the
 * policy reserves such calls for the operator or wants somebody else to agree, or the client declared that it can ask,
 * but failed to.
 */
export type InsteadOfClient = 'too_long' | 'operator_only' | 'two_person' | AskingFailure;

/** Why a call was not confirmed. */
export type Refusal =
  | InvalidSeal
  /** Only the operator may be asked, but no operator is set up. */
  | InsteadOfClient
  /** There is no one to ask: the client doesn't support forms, and no other way is configured. */
  | 'cannot_ask'
  | 'declined'
  | 'dismissed'
  /** The form was submitted, but without confirmation. */
  | 'not_agreed'
  /** The operator refused. */
  | 'operator_refused'
  /** No operator may decide on it, or fewer than have to agree. */
  | 'nobody_may_agree'
  /** The limit of calls waiting for the operator is reached: for this caller, or in total. */
  | 'too_many_of_caller'
  | 'too_many_in_all'
  /** The call was cancelled during the confirmation. */
  | 'late';

/** The operator who refused a call, if they have a name, and the reason that they gave. */
export interface RefusedBy {
  readonly operator?: string | undefined;
  readonly reason?: string | undefined;
}

/** A plan that was not confirmed, redacted. */
export interface RefusedPlan {
  readonly tier: Effect;
  /** The planned changes, one fact per line. */
  readonly text: string;
}

/** One of several changes that failed. */
export interface FailedChange {
  /** The change, as text. */
  readonly what: string;
  readonly error: Failure;
}

/** Every failure of a call, as a value. Any other error is a bug in this server. */
export type Failure =
  | { readonly kind: 'bad_arguments'; readonly issues: readonly Issue[] }
  | { readonly kind: 'bad_address'; readonly problem: ResolutionProblem }
  | { readonly kind: 'denied'; readonly denial: Denial }
  | {
      readonly kind: 'not_confirmed';
      readonly why: Refusal;
      readonly plan: RefusedPlan;
      readonly refusedBy?: RefusedBy | undefined;
    }
  /** `command` approves the call with this code. */
  | {
      readonly kind: 'pending';
      readonly code?: string;
      readonly command?: string;
      /** Whether operators can decide in a chat too. */
      readonly isInChat?: true;
      readonly planToken?: string;
      readonly instead?: InsteadOfClient;
      /** How many operators agreed, if several have to. */
      readonly agreed?: { readonly count: number; readonly needed: number };
      readonly plan: RefusedPlan;
    }
  | { readonly kind: 'not_recorded'; readonly requestId: string }
  /** The database that servers share can't be used. */
  | { readonly kind: 'store_unavailable'; readonly requestId: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'not_connected'; readonly requestId: string }
  /** A tool can't continue. `what` is a text of this server, `seen` is data from the platform. */
  | { readonly kind: 'not_possible'; readonly what: string; readonly next: ToolText; readonly seen?: string }
  /** Some of several changes failed: those in `done` succeeded, the remaining ones were not tried. */
  | {
      readonly kind: 'partly';
      readonly done: readonly string[];
      readonly failures: readonly FailedChange[];
      readonly of: number;
    }
  /** All changes were made, but building the answer failed. */
  | { readonly kind: 'afterwards'; readonly done: readonly string[]; readonly error: Failure }
  /**
   * The change was made, but its result isn't the requested one. `what` is a text of this server, `seen` is data from
   * the platform.
   */
  | { readonly kind: 'not_as_asked'; readonly what: string; readonly next: ToolText; readonly seen?: string }
  | { readonly kind: 'api'; readonly error: ApiError }
  /** `begun` if a change was confirmed: then it may have been sent. */
  | { readonly kind: 'internal'; readonly requestId: string; readonly begun: boolean };

/** Throws a failure as an error. Its text is written in one place. */
export class CallFailure extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.kind);
    this.failure = failure;
  }
}

/**
 * Thrown by a store that several servers share if its database can't be used. It is not known whether the operation
 * took effect. The store is used before a change is sent, so no change was sent.
 */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super(
      `The database that the servers share could not be used: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
    this.name = 'StoreUnavailable';
  }
}

/** Whether an error is the policy's denial, and not a failure of the platform or a defect. */
export const isDenied = (error: unknown): error is CallFailure & { readonly failure: { readonly kind: 'denied' } } =>
  error instanceof CallFailure && error.failure.kind === 'denied';

/** Ends a call. @throws CallFailure always. */
export const fail = (failure: Failure): never => {
  throw new CallFailure(failure);
};

/** Converts a thrown error to a failure. @param begun whether a change was confirmed before. */
export function failureOf(error: unknown, requestId: string, begun: boolean): Failure {
  if (error instanceof CallFailure) return error.failure;
  if (error instanceof StoreUnavailable) return { kind: 'store_unavailable', requestId };
  return error instanceof ApiError ? { kind: 'api', error } : { kind: 'internal', requestId, begun };
}

/** The recorded outcome of a failure. */
export function outcomeOf(failure: Failure): Pick<CallOutcome, 'outcome' | 'why'> {
  switch (failure.kind) {
    case 'denied':
      return { outcome: 'denied', why: failure.denial.setBy };
    case 'not_confirmed':
      return { outcome: 'refused', why: failure.why };
    case 'pending':
      return { outcome: 'pending', why: failure.code };
    case 'partly':
      if (failure.done.length === 0 && failure.failures.length === 1) return outcomeOf(failure.failures[0]!.error);
      return {
        outcome: failure.failures.some(({ error }) => outcomeOf(error).outcome === 'unknown') ? 'unknown' : 'failed',
        why: `${failure.done.length} of ${failure.of} done`,
      };
    case 'afterwards':
      return { outcome: 'done', why: outcomeOf(failure.error).why };
    case 'not_as_asked':
      return { outcome: 'done', why: failure.kind };
    case 'api':
      return { outcome: failure.error.outcomeUnknown ? 'unknown' : 'failed', why: failure.error.kind };
    case 'internal':
      return { outcome: failure.begun ? 'unknown' : 'failed', why: failure.kind };
    default:
      return { outcome: 'failed', why: failure.kind };
  }
}

/** The part of a failure for programs, in place of its sentence. No member reveals what the sentence hides. */
export interface FailureCode {
  readonly kind: Failure['kind'] | 'withheld' | 'question_ended' | 'not_offered_here';
  /** The reason within the kind, where it has several. */
  readonly why?: string;
  /** The outcome of the call: `unknown` if a change may have taken effect, `done` if it did. */
  readonly outcome: CallOutcome['outcome'];
  /** The code under which the call waits for an operator: `infra://approval/{code}` tells what becomes of it. */
  readonly code?: string;
  /** The operation of the platform's API that failed, and the HTTP status of the response, if there was one. */
  readonly operation?: string;
  readonly status?: number;
  /** When the same call may succeed, in ISO 8601. */
  readonly retry_at?: string;
  /** How many of several changes succeeded, and why others failed. */
  readonly done?: number;
  readonly failures?: readonly FailureCode[];
}

/** The members that differ by kind. */
function detailsOf(failure: Failure): Omit<FailureCode, 'kind' | 'outcome'> {
  switch (failure.kind) {
    case 'not_confirmed':
      return { why: failure.why };
    case 'pending':
      return {
        ...(failure.instead !== undefined && { why: failure.instead }),
        ...(failure.code !== undefined && { code: failure.code }),
      };
    case 'bad_address':
      return { why: failure.problem.why };
    case 'api': {
      const { kind, operation, status, retryAt } = failure.error;
      return {
        why: kind,
        operation,
        ...(status !== undefined && { status }),
        ...(retryAt !== undefined && { retry_at: new Date(retryAt).toISOString() }),
      };
    }
    case 'partly':
      return { done: failure.done.length, failures: failure.failures.map(({ error }) => failureCode(error)) };
    case 'afterwards':
      return { done: failure.done.length, failures: [failureCode(failure.error)] };
    default:
      return {};
  }
}

/** A failure as a code with data, for programs. */
export const failureCode = (failure: Failure): FailureCode => ({
  kind: failure.kind,
  outcome: outcomeOf(failure).outcome,
  ...detailsOf(failure),
});
