/** What is left of a credential's requests, as the platform last said. */
export interface Budget {
  /** Requests in a whole window. */
  readonly limit: number;
  /** Requests left in this window. */
  readonly remaining: number;
  /** When the window ends, in milliseconds since the epoch. */
  readonly resetAt: number;
  /** When the platform said so, in milliseconds since the epoch. */
  readonly seenAt: number;
}
