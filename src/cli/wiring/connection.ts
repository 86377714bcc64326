import type { Client } from '../../client/client.ts';

/** The way from the tools to a platform. */
export interface Connection {
  /** Gives the platform's client; asked with every call. */
  readonly connect: () => Promise<{ readonly client: Client }>;
  /** Credentials in use, as known at the moment. */
  readonly secrets: () => readonly string[];
  readonly close: () => Promise<void>;
}
