/**
 * What one HTTP host takes on. Sizes in bytes, times in milliseconds. What one principal may have, all principals of one identity may
 * not have more of together: a key or a subject could make up tokens for the platform without end.
 */
export interface Limits {
  /** Largest request body. */
  readonly body: number;
  /** Largest set of request headers. */
  readonly headers: number;
  /** Longest time for a request's headers to arrive. */
  readonly headersTime: number;
  /** Longest time for a whole request to arrive. */
  readonly requestTime: number;
  /** How long a connection may wait for its next request. */
  readonly idleConnectionTime: number;
  /** Most connections at once. */
  readonly connections: number;
  /** Most connections at once from one address. */
  readonly connectionsPerAddress: number;
  /** Most calls at once. */
  readonly calls: number;
  /** Most calls at once of one principal, and in one batch. */
  readonly callsPerPrincipal: number;
  /** Most calls of one principal that wait for their turn. */
  readonly waitingPerPrincipal: number;
  /** Most calls from one address that wait for their turn. */
  readonly waitingPerAddress: number;
  /** Longest time that a call waits for its turn. */
  readonly waitingTime: number;
  /** Most sessions of 2025-era clients. */
  readonly sessions: number;
  /** Most sessions of one principal. */
  readonly sessionsPerPrincipal: number;
  /** Most sessions that were opened from one address. */
  readonly sessionsPerAddress: number;
  /** How long a session may go unused. */
  readonly idleSessionTime: number;
  /** Most open event streams of one principal. */
  readonly streamsPerPrincipal: number;
  /** Most open event streams from one address. */
  readonly streamsPerAddress: number;
  /** How long a host that stops still answers new requests, with a refusal. */
  readonly shutdownDelay: number;
  /** How long running calls get to finish when the host stops. */
  readonly drainTime: number;
}

/** Fits one server of two cores. A call takes 50 seconds at most, so most end within the drain. */
export const defaultLimits: Limits = {
  body: 1024 * 1024,
  headers: 16 * 1024,
  headersTime: 10_000,
  requestTime: 30_000,
  idleConnectionTime: 65_000,
  connections: 4096,
  connectionsPerAddress: 2048,
  calls: 128,
  callsPerPrincipal: 32,
  waitingPerPrincipal: 512,
  waitingPerAddress: 1024,
  waitingTime: 20_000,
  sessions: 2000,
  sessionsPerPrincipal: 500,
  sessionsPerAddress: 1000,
  idleSessionTime: 30 * 60_000,
  streamsPerPrincipal: 256,
  streamsPerAddress: 2048,
  shutdownDelay: 1000,
  drainTime: 30_000,
};

/** No bounds by address: for where callers are behind a proxy, and all have the address of that one. */
export const unlimitedAddresses = {
  connectionsPerAddress: Number.POSITIVE_INFINITY,
  waitingPerAddress: Number.POSITIVE_INFINITY,
  sessionsPerAddress: Number.POSITIVE_INFINITY,
  streamsPerAddress: Number.POSITIVE_INFINITY,
} as const satisfies Partial<Limits>;

/** Most that the principals of one identity have together. */
export type IdentityLimits = Readonly<Record<'calls' | 'waiting' | 'sessions' | 'streams', number>>;

/**
 * Bounds by identity. Where nobody says who they are, all are the same one: then only what there is for all bounds them, beside what
 * bounds each principal and the address.
 */
export const identityLimits = (limits: Limits, authenticates: boolean): IdentityLimits =>
  authenticates
    ? { calls: limits.callsPerPrincipal, waiting: limits.waitingPerPrincipal, sessions: limits.sessionsPerPrincipal, streams: limits.streamsPerPrincipal }
    : { calls: limits.calls, waiting: Number.POSITIVE_INFINITY, sessions: limits.sessions, streams: limits.connections };
