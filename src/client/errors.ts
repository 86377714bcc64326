/**
 * Every way a call can fail, told apart by what the caller can do next.
 * - `invalid_input`: the platform, or this client before asking, refuses what was sent (400 and other 4xx).
 * - `unauthorized`: the credential is missing, unknown or expired (401).
 * - `forbidden`: no permission, or no such id: platforms answer both alike (403).
 * - `not_found`: the id does not exist (404).
 * - `conflict`: something else is going on there; the same call may pass later (409).
 * - `rate_limited`: no requests left; `retryAt` says until when (429).
 * - `server_error`: the platform failed (5xx).
 * - `unreachable`: no usable connection: name, network, TLS, or a redirect that is not followed.
 * - `timeout`: connected, but no whole answer in time.
 * - `canceled`: the caller's own signal, or the closing of the client, ended the call.
 * - `not_offered`: an operation outside the documented interface that this platform doesn't have.
 * - `bad_answer`: a success whose body isn't what the contract says; `field` names the member.
 */
export type ApiErrorKind =
  | 'invalid_input' | 'unauthorized' | 'forbidden' | 'not_found' | 'conflict' | 'rate_limited' | 'server_error'
  | 'unreachable' | 'timeout' | 'canceled' | 'not_offered' | 'bad_answer';

/** One failure in its parts. `reason` and `next` are this client's own words, `detail` the platform's. */
export interface ApiFailure {
  readonly kind: ApiErrorKind;
  /** What happened and why, without a full stop. */
  readonly reason: string;
  /** What to do about it: whole sentences. */
  readonly next: string;
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** What the platform says: one line, cut short. Data from outside, not advice. */
  readonly detail?: string;
  /** Path of the member that is missing or of a wrong type, such as `results[0].id`. */
  readonly field?: string;
  /** When the same call may pass, in milliseconds since the epoch. */
  readonly retryAt?: number;
  /** True when a change was sent and nobody can tell whether it was carried out. */
  readonly outcomeUnknown?: boolean;
}

const unknownOutcome = 'The change may or may not have been carried out: read the present state before calling again.';

const messageText = (operation: string, { reason, next, status, detail, outcomeUnknown }: ApiFailure): string =>
  [
    `${operation} failed: ${reason}${status === undefined ? '' : ` (HTTP ${status})`}.`,
    detail && `The platform says: "${detail}".`,
    outcomeUnknown && unknownOutcome,
    next,
  ]
    .filter(Boolean)
    .join(' ');

/** The error of every failed call. Its message is the whole failure in words; no part of it holds a credential. */
export class ApiError extends Error implements ApiFailure {
  override readonly name = 'ApiError';
  /** Name of the operation that failed. */
  readonly operation: string;
  readonly kind!: ApiErrorKind;
  readonly reason!: string;
  readonly next!: string;
  readonly status?: number;
  readonly detail?: string;
  readonly field?: string;
  readonly retryAt?: number;
  readonly outcomeUnknown?: boolean;

  /** @param failure without credentials: nothing is masked here. */
  constructor(operation: string, failure: ApiFailure) {
    super(messageText(operation, failure));
    this.operation = operation;
    Object.assign(this, failure);
  }
}
