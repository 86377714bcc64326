/** Requests a token may make in one window (the document's Limits). */
export const defaultRateLimit = 1000;

/** Length of the rate window, in seconds. */
export const defaultRateWindowSeconds = 3600;

/** Headers that every answer carries: the limit, what remains of it, and the Unix time in seconds at which it is whole again. */
export const rateHeaders = {
  limit: 'X-RateLimit-Limit',
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
} as const;

/** Largest request body a server takes, in bytes. */
export const maximumBodyBytes = 1024 * 1024;
