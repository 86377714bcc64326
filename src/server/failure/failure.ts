import type { Effect } from '../../contract/operation.ts';
import { ApiError } from '../../client/errors.ts';
import type { CallOutcome } from '../audit/call-records.ts';
import type { ResolvedResource, ResourceKind } from '../tool/name-resolver.ts';
import type { Issue } from '../tool/arguments.ts';
import type { ToolText } from '../tool/tool-text.ts';

/** Why a tool may not run: the rule, where it is set, and what is allowed instead. */
export interface Denial {
  readonly rule: string;
  readonly setBy: string;
  readonly instead: string;
}

/** Why what was given stands for nothing that can be used. */
export interface ResolutionProblem {
  readonly kind: ResourceKind;
  readonly reference: string;
  /** `not_listable`: the platform doesn't tell what there is, and nothing seen earlier fits. */
  readonly why: 'unknown' | 'ambiguous' | 'not_listable' | 'wrong_kind' | 'bad_uri';
  /** What it could stand for. */
  readonly candidates: readonly ResolvedResource[];
  /** What there is instead, with the nearest names first. */
  readonly suggestions: readonly ResolvedResource[];
  /** The part of a path that isn't there. */
  readonly missing?: { readonly kind: ResourceKind; readonly name: string };
  /** What else there is to know, in our own words: whole sentences. */
  readonly notes: readonly string[];
}

/** A problem about which nothing more is known. */
export const emptyProblem = (kind: ResourceKind, given: string, why: 'wrong_kind' | 'bad_uri'): ResolutionProblem => ({ kind, reference: given, why, candidates: [], suggestions: [], notes: [] });

/** Why a seal doesn't count for a call. */
export type InvalidSeal =
  /** Changed, too old, or sealed by another process. */
  | 'invalid'
  /** It is about another call. */
  | 'other_call'
  /** What the call acts on has changed since. */
  | 'changed'
  | 'used';

/**
 * Why the operator is asked instead of the client's user: the plan is longer than a client's question may be, or the policy
 * leaves such calls to the operator.
 */
export type InsteadOfClient = 'too_long' | 'operator_only';

/** Why a confirmation came to nothing. */
export type Refusal =
  | InvalidSeal
  /** Only the operator may be asked, and none is set up. */
  | InsteadOfClient
  /** Nobody can be asked: the client shows no forms, and nobody set up another way. */
  | 'cannot_ask'
  | 'declined'
  | 'dismissed'
  /** The form was sent, but what it says isn't agreement. */
  | 'not_agreed'
  /** The operator said no. */
  | 'operator_refused'
  /** As many calls wait for the operator as may: of this caller, or in all. */
  | 'too_many_of_caller'
  | 'too_many_in_all'
  /** The call was cancelled while somebody was asked. */
  | 'late';

/** A plan that was not agreed to, as it may be shown. */
export interface RefusedPlan {
  readonly tier: Effect;
  /** What would be done, one fact a line. */
  readonly text: string;
}

/** Every way a call ends badly, as a value. What isn't one of these is a fault of this server. */
export type Failure =
  | { readonly kind: 'bad_arguments'; readonly issues: readonly Issue[] }
  | { readonly kind: 'bad_address'; readonly problem: ResolutionProblem }
  | { readonly kind: 'denied'; readonly denial: Denial }
  | { readonly kind: 'not_confirmed'; readonly why: Refusal; readonly plan: RefusedPlan }
  /** `command` is what approves it under its code. */
  | { readonly kind: 'pending'; readonly code?: string; readonly command?: string; readonly planToken?: string; readonly instead?: InsteadOfClient; readonly plan: RefusedPlan }
  | { readonly kind: 'not_recorded'; readonly requestId: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'not_connected'; readonly requestId: string }
  /** What a tool finds that keeps it from going on, in our own words. `seen` is what the platform shows of it. */
  | { readonly kind: 'not_possible'; readonly what: string; readonly next: ToolText; readonly seen?: string }
  /** One of several changes failed: those before it were made, those after it not tried. */
  | { readonly kind: 'partly'; readonly done: readonly string[]; readonly failed: string; readonly of: number; readonly error: Failure }
  /** All was done, and what was to be told of it failed. */
  | { readonly kind: 'afterwards'; readonly done: readonly string[]; readonly error: Failure }
  | { readonly kind: 'api'; readonly error: ApiError }
  /** `begun` when a change was agreed to: then it may have been sent. */
  | { readonly kind: 'internal'; readonly requestId: string; readonly begun: boolean };

/** A failure on its way up; thrown anywhere, put into words in one place. */
export class CallFailure extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.kind);
    this.failure = failure;
  }
}

/** Ends a call. @throws CallFailure always. */
export const fail = (failure: Failure): never => {
  throw new CallFailure(failure);
};

/** What was thrown, as a failure. @param begun whether a change was agreed to before. */
export function failureOf(error: unknown, requestId: string, begun: boolean): Failure {
  if (error instanceof CallFailure) return error.failure;
  return error instanceof ApiError ? { kind: 'api', error } : { kind: 'internal', requestId, begun };
}

/** How a failure stands in the record. */
export function outcomeOf(failure: Failure): Pick<CallOutcome, 'outcome' | 'why'> {
  switch (failure.kind) {
    case 'denied':
      return { outcome: 'denied', why: failure.denial.setBy };
    case 'not_confirmed':
      return { outcome: 'refused', why: failure.why };
    case 'pending':
      return { outcome: 'pending', why: failure.code };
    case 'partly':
      if (failure.done.length === 0) return outcomeOf(failure.error);
      return { outcome: outcomeOf(failure.error).outcome === 'unknown' ? 'unknown' : 'failed', why: `${failure.done.length} of ${failure.of} done` };
    case 'afterwards':
      return { outcome: 'done', why: outcomeOf(failure.error).why };
    case 'api':
      return { outcome: failure.error.outcomeUnknown ? 'unknown' : 'failed', why: failure.error.kind };
    case 'internal':
      return { outcome: failure.begun ? 'unknown' : 'failed', why: failure.kind };
    default:
      return { outcome: 'failed', why: failure.kind };
  }
}
