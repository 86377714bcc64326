/**
 * Every way a call can fail, told apart by what the caller can do next.
 * - `invalid_input`: the platform, or this client before asking, refuses what was sent (400, 422 and other 4xx).
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

/** What an ApiError holds beside its message. */
export interface ApiErrorDetails {
  readonly kind: ApiErrorKind;
  /** Name of the operation that failed. */
  readonly operation: string;
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** The platform's own words: one line, cut short, without credentials. They are data from outside, not advice. */
  readonly detail?: string;
  /** Path of the member that is missing or of a wrong type, such as `results[0].id`. */
  readonly field?: string;
  /** When the same call may pass, in milliseconds since the epoch. */
  readonly retryAt?: number;
  /** True when a change was sent and nobody can tell whether it was carried out. */
  readonly outcomeUnknown?: boolean;
}

/** The one error that calls throw. Its message says what happened, why, and what to do next, and holds no credential. */
export class ApiError extends Error implements ApiErrorDetails {
  override readonly name = 'ApiError';
  readonly kind!: ApiErrorKind;
  readonly operation!: string;
  readonly status?: number;
  readonly detail?: string;
  readonly field?: string;
  readonly retryAt?: number;
  readonly outcomeUnknown?: boolean;

  constructor(message: string, details: ApiErrorDetails) {
    super(message);
    Object.assign(this, details);
  }
}

const transient: ReadonlySet<ApiErrorKind> = new Set(['conflict', 'rate_limited', 'server_error', 'unreachable', 'timeout']);

/** Whether the very same call may be repeated later without harm. */
export const isRetryable = (error: ApiError): boolean => transient.has(error.kind) && !error.outcomeUnknown;
