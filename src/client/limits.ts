/** Timeouts of a call, in milliseconds. */
export interface Timeouts {
  /** Until the connection is established. */
  readonly connect: number;
  /** From the request to the end of the response headers. */
  readonly headers: number;
  /** Between two chunks of the response body. */
  readonly body: number;
  /** The whole call, including retries and waits, unless the caller sets a deadline. */
  readonly call: number;
}

/**
 * MCP clients give up after a minute: a call ends before that, and a wait for headers or the next chunk takes at most
 * half of it.
 */
export const defaultTimeouts: Timeouts = { connect: 10_000, headers: 30_000, body: 30_000, call: 45_000 };

/** Largest response body accepted, in bytes: enough for a thousand log lines of maximum length. */
export const defaultMaximumAnswerBytes = 8 * 1024 * 1024;

/** Maximum number of concurrent connections; further calls wait. */
export const maximumConnections = 64;

/** Redirects followed for one request, all within one origin. */
export const maximumRedirects = 3;

/** Maximum number of attempts to send one request. */
export const maximumSendAttempts = 4;

/**
 * Exponential backoff between attempts, in milliseconds: a random wait of at most `first`, a bound that doubles with
 * each attempt up to `longest`.
 */
export const backoff = { first: 200, longest: 5_000 } as const;

/** Jitter for clients that wait for the same rate limit window to end, in milliseconds. */
export const resetJitter = 500;

/** How long an operation counts as missing from a platform before it is tried again, in milliseconds. */
export const missingOperationTtl = 60 * 60_000;
