/** Requests that a token may make in one window (the document's Limits). */
export const defaultRateLimit = 1000;

/**
 * The default where services really run: a client that waits for real builds and rollouts polls their state every few
 * seconds, and several concurrent waits would use up the document's limit within the hour.
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

/** Default rows per page of requests, and of tools that show fewer or more. */
export const defaultPageSizes = {
  /** Lists, deployment histories and backups. */
  rows: 20,
  events: 10,
  /** For `list_deployments`: a deployment of an environment has a line for each service. */
  shownDeployments: 10,
  /** For `list_events`: an event is one line. */
  shownEvents: 30,
} as const;

/** Largest request body that a server accepts, in bytes. */
export const maximumBodyBytes = 1024 * 1024;

/**
 * Maximum number of instances that a request may specify: of a service at the same time, or of a job's run one after
 * another. Far above any real need, but a number with a digit too many would block everything else on its cluster.
 * Stored values above it are kept.
 */
export const maximumInstances = 1000;

/**
 * Largest whole number that the embedded platform accepts in a request, where a field has no smaller limit: databases
 * and engines keep numbers of 32 bits.
 */
export const largestInteger = 2_147_483_647;

/** Maximum length of the caller's text that an error repeats, in UTF-16 code units. */
export const longestRepeated = 200;
