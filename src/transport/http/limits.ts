/**
 * Limits of one HTTP host. Sizes in bytes, times in milliseconds. Limits per principal also apply to all principals of
 * one identity together, because a key or subject could invent any number of platform tokens.
 */
export interface Limits {
  /** Maximum size of a request body. */
  readonly body: number;
  /** Maximum size of all request headers. */
  readonly headers: number;
  /** Maximum time to receive the headers of a request. */
  readonly headersTime: number;
  /** Maximum time to receive a whole request. */
  readonly requestTime: number;
  /** Keep-alive timeout of an idle connection. */
  readonly idleConnectionTime: number;
  /** Maximum number of concurrent connections. */
  readonly connections: number;
  /** Maximum number of concurrent connections from one address. */
  readonly connectionsPerAddress: number;
  /** Maximum number of concurrent calls. */
  readonly calls: number;
  /** Maximum number of concurrent calls of one principal, and of requests in one batch. */
  readonly callsPerPrincipal: number;
  /** Maximum number of waiting calls of one principal. */
  readonly waitingPerPrincipal: number;
  /** Maximum number of waiting calls from one address. */
  readonly waitingPerAddress: number;
  /** Maximum time that a call waits for its turn. */
  readonly waitingTime: number;
  /** Maximum number of sessions of clients that use a 2025 revision. */
  readonly sessions: number;
  /** Maximum number of sessions of one principal. */
  readonly sessionsPerPrincipal: number;
  /** Maximum number of sessions opened from one address. */
  readonly sessionsPerAddress: number;
  /** Idle time after which a session ends. */
  readonly idleSessionTime: number;
  /** Maximum number of open event streams of one principal. */
  readonly streamsPerPrincipal: number;
  /** Maximum number of open event streams from one address. */
  readonly streamsPerAddress: number;
  /**
   * How long a host that was asked to stop accepts requests as before, while it already reports that it isn't ready.
   */
  readonly drainDelay: number;
  /**
   * How long a host that shuts down must have received no request before it closes its port. Until then it answers new
   * ones with 503, for the drain time at most.
   */
  readonly shutdownDelay: number;
  /** How long running calls may take to finish when the host shuts down. */
  readonly drainTime: number;
}

/**
 * Sized for a server with two cores. A call takes at most 50 seconds, plus the time it waits for its user, so most
 * finish within the drain time.
 */
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
  drainDelay: 0,
  shutdownDelay: 1000,
  drainTime: 30_000,
};

/** No limits per address, for clients behind a proxy: all have the proxy's address. */
export const unlimitedAddresses = {
  connectionsPerAddress: Number.POSITIVE_INFINITY,
  waitingPerAddress: Number.POSITIVE_INFINITY,
  sessionsPerAddress: Number.POSITIVE_INFINITY,
  streamsPerAddress: Number.POSITIVE_INFINITY,
} as const satisfies Partial<Limits>;

/** Limits for all principals of one identity together. */
export type IdentityLimits = Readonly<Record<'calls' | 'waiting' | 'sessions' | 'streams', number>>;

/**
 * The limits per identity. Without authentication all callers share one identity: then only the limits of the whole
 * host apply, besides those per principal and per address.
 */
export const identityLimits = (limits: Limits, authenticates: boolean): IdentityLimits =>
  authenticates
    ? {
        calls: limits.callsPerPrincipal,
        waiting: limits.waitingPerPrincipal,
        sessions: limits.sessionsPerPrincipal,
        streams: limits.streamsPerPrincipal,
      }
    : {
        calls: limits.calls,
        waiting: Number.POSITIVE_INFINITY,
        sessions: limits.sessions,
        streams: limits.connections,
      };
