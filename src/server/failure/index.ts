/** The failures of a call, as values. */

export {
  CallFailure,
  emptyProblem,
  fail,
  failureCode,
  failureOf,
  isDenied,
  outcomeOf,
  StoreUnavailable,
  type Denial,
  type FailedChange,
  type Failure,
  type FailureCode,
  type InsteadOfClient,
  type InvalidSeal,
  type Refusal,
  type RefusedBy,
  type RefusedPlan,
  type ResolutionProblem,
} from './failure.ts';
