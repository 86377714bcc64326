/** What one HTTP host takes on. Sizes in bytes, times in milliseconds. */
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
  /** Most calls at once. */
  readonly calls: number;
  /** Most calls at once of one principal. */
  readonly callsEach: number;
  /** Most calls of one principal that wait for their turn. */
  readonly waitingEach: number;
  /** Longest time that a call waits for its turn. */
  readonly waitingTime: number;
  /** Most sessions of 2025-era clients. */
  readonly sessions: number;
  /** Most sessions of one principal. */
  readonly sessionsEach: number;
  /** How long a session may go unused. */
  readonly idleSessionTime: number;
  /** Most open event streams of one principal. */
  readonly streamsEach: number;
  /** How long a host that stops still answers new requests, with a refusal. */
  readonly farewellTime: number;
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
  calls: 128,
  callsEach: 32,
  waitingEach: 512,
  waitingTime: 20_000,
  sessions: 2000,
  sessionsEach: 500,
  idleSessionTime: 30 * 60_000,
  streamsEach: 256,
  farewellTime: 1000,
  drainTime: 30_000,
};
