import { ApiError } from '../../client/errors.ts';
import type { Outcome } from '../audit/record.ts';
import type { InsteadOfClient, Refusal } from '../guard/confirmation.ts';
import type { Denial } from '../guard/denial.ts';
import type { Plan } from '../guard/plan.ts';
import type { AddressProblem } from '../resolve/address-problem.ts';
import type { Issue } from '../tool/arguments.ts';
import type { ToolText } from '../tool/mentions.ts';

/** Every way a call ends badly, as a value. What isn't one of these is a fault of this server. */
export type Failure =
  | { readonly kind: 'bad_arguments'; readonly issues: readonly Issue[] }
  | { readonly kind: 'bad_address'; readonly problem: AddressProblem }
  | { readonly kind: 'denied'; readonly denial: Denial }
  | { readonly kind: 'not_confirmed'; readonly why: Refusal; readonly plan: Plan }
  /** `command` is what approves it under its code. */
  | { readonly kind: 'pending'; readonly code?: string; readonly command?: string; readonly planToken?: string; readonly instead?: InsteadOfClient; readonly plan: Plan }
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

/** What was thrown, as a failure. @param begun whether a change was agreed to before. */
export function failureOf(error: unknown, requestId: string, begun: boolean): Failure {
  if (error instanceof CallFailure) return error.failure;
  return error instanceof ApiError ? { kind: 'api', error } : { kind: 'internal', requestId, begun };
}

/** How a failure stands in the record. */
export function outcomeOf(failure: Failure): Pick<Outcome, 'outcome' | 'why'> {
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
