/**
 * The ways a call can fail, distinguished by what the caller can do next.
 * - `invalid_input`: the platform, or this client before sending, rejects the input (400 and other 4xx).
 * - `unauthorized`: the credential is missing, unknown or expired (401).
 * - `forbidden`: no permission, or no such id: platforms return 403 for both.
 * - `not_found`: the id does not exist (404).
 * - `conflict`: another operation is in progress; the same call may succeed later (409).
 * - `unclear_organization`: the token has several organizations and none is chosen, or not the chosen one.
 * - `rate_limited`: no requests left; `retryAt` says until when (429).
 * - `server_error`: the platform failed (5xx).
 * - `unreachable`: no usable connection: DNS, network, TLS, or a redirect that isn't followed.
 * - `timeout`: connected, but no complete response in time.
 * - `canceled`: the caller's signal or the closing of the client aborted the call.
 * - `not_offered`: an operation outside the API document that this platform doesn't have.
 * - `bad_answer`: a response that violates the contract, by its status, size or body; `field` names the member at
 *   fault.
 */
export type ApiErrorKind =
  | 'invalid_input'
  | 'unclear_organization'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'rate_limited'
  | 'server_error'
  | 'unreachable'
  | 'timeout'
  | 'canceled'
  | 'not_offered'
  | 'bad_answer';

/** A failure as data. `reason` and `next` are the client's texts, `detail` is the platform's. */
export interface ApiFailure {
  readonly kind: ApiErrorKind;
  /** The event and its cause, without a full stop. */
  readonly reason: string;
  /** The remedy, in whole sentences. */
  readonly next: string;
  /** HTTP status, if there was a response. */
  readonly status?: number;
  /** The platform's text: one line, truncated. Untrusted data, not advice. */
  readonly detail?: string;
  /** Path of the member that is missing or has a wrong type, such as `results[0].id`. */
  readonly field?: string;
  /** Whether rows can't be read, or lack the members that identify them, so that the list is incomplete. */
  readonly rowsLost?: boolean;
  /** When the same call may succeed, in milliseconds since the epoch. */
  readonly retryAt?: number;
  /** True if a change was sent and it is unknown whether it was carried out. */
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

/**
 * The error that every failed call throws. Its message describes the whole failure. No member contains a credential.
 */
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
  readonly rowsLost?: boolean;
  readonly retryAt?: number;
  readonly outcomeUnknown?: boolean;

  /** @param failure must not contain credentials: nothing is masked here. */
  constructor(operation: string, failure: ApiFailure) {
    super(messageText(operation, failure));
    this.operation = operation;
    Object.assign(this, failure);
  }
}
