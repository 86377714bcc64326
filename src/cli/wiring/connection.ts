import type { Client } from '../../client/index.ts';

/** The connection to a platform. */
export interface Connection {
  /** Returns the platform's client. Called for every tool call. */
  readonly connect: () => Promise<{ readonly client: Client }>;
  /** The credentials in use at the moment. */
  readonly secrets: () => readonly string[];
  readonly close: () => Promise<void>;
}
