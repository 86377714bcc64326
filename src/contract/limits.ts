/** Requests that a token may make in one window (the document's Limits). */
export const defaultRateLimit = 1000;

/**
 * The same where services really run and nobody sets another: who waits for real builds and rollouts asks for their
 * state every few seconds, and several waits at once would use up the document's limit within the hour.
 */
export const engineRateLimit = 10_000;

/** Length of the rate limit window, in seconds. */
export const defaultRateWindowSeconds = 3600;

/**
 * Headers of every response: the limit, the remaining requests, and the Unix time in seconds when the window resets.
 */
export const rateHeaders = {
  limit: 'X-RateLimit-Limit',
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
} as const;

/** Rows of a page where the request names no number, and where a tool shows fewer or more than that. */
export const defaultPageSizes = {
  /** Lists, deployment histories and backups. */
  rows: 20,
  events: 10,
  /** What `list_deployments` shows: a deployment of an environment has a line for each service. */
  shownDeployments: 10,
  /** What `list_events` shows: an event is one line. */
  shownEvents: 30,
} as const;

/** Largest request body that a server accepts, in bytes. */
export const maximumBodyBytes = 1024 * 1024;

/**
 * Most instances that a request may ask for: of a service at once, or of one run of a job after another. Far above what
 * anybody means; a number with a digit too many would hold up everything else on its cluster. What was stored before is
 * kept.
 */
export const maximumInstances = 1000;

/** How much of what a caller sent an error repeats at most, in UTF-16 code units. */
export const longestRepeated = 200;
