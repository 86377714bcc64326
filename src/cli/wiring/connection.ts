import type { Client } from '../../client/index.ts';
import type { EngineStatistics } from '../../platform/index.ts';

/** The connection to a platform. */
export interface Connection {
  /** Returns the platform's client. Called for every tool call. */
  readonly connect: () => Promise<{ readonly client: Client }>;
  /** The credentials in use at the moment. */
  readonly secrets: () => readonly string[];
  /** The statistics of the embedded platform; undefined while this process serves none. */
  readonly engine?: () => Promise<EngineStatistics | undefined>;
  /** Resolves, with the reason, once the embedded platform of this process can't continue and the process must exit. */
  readonly unusable?: Promise<Error>;
  readonly close: () => Promise<void>;
}
