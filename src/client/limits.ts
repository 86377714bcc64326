/** How long a call may take, in milliseconds. */
export interface Timeouts {
  /** Until a connection stands. */
  readonly connect: number;
  /** From the request to the last header of the answer. */
  readonly headers: number;
  /** Between two pieces of an answer's body. */
  readonly body: number;
  /** The whole call, retries and waits included, where the caller sets no deadline. */
  readonly call: number;
}

/** Half a minute fits twice into the minute after which clients give up. */
export const defaultTimeouts: Timeouts = { connect: 10_000, headers: 30_000, body: 30_000, call: 45_000 };

/** Largest answer taken, in bytes: a thousand of the longest log lines and more. */
export const defaultMaximumAnswerBytes = 8 * 1024 * 1024;

/** Connections open at once; further calls wait their turn. */
export const maximumConnections = 64;

/** Redirects followed for one request, all within one origin. */
export const maximumRedirects = 3;

/** Times one request is sent at most. */
export const maximumSendAttempts = 4;

/** Waits between attempts, in milliseconds: the first at most `first`, each further up to twice as long, none over `longest`. */
export const backoff = { first: 200, longest: 5_000 } as const;

/** Spread of those who all wait for the same rate window to end, in milliseconds. */
export const resetJitter = 500;

/** How long an operation is taken to be missing from a platform before it is tried again, in milliseconds. */
export const missingOperationTtl = 60 * 60_000;
