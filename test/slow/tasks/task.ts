import type { OperationName } from '../../../src/contract/index.ts';
import type { Step } from './play.ts';

type Row = Readonly<Record<string, unknown>>;

/** How a service or an environment must be on the platform in the end. */
export interface ServiceEnd {
  /** Path of a service or environment. */
  readonly at: string;
  readonly state?: string;
  /** Whether what runs is what is configured. */
  readonly freshness?: 'NEVER_DEPLOYED' | 'OUT_OF_DATE' | 'UP_TO_DATE';
  /** Members of its configuration. */
  readonly is?: Row;
  /** Keys of variables that it sees, and their values. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** What a read of the platform must show in the end. */
export interface ReadEnd {
  readonly read: OperationName;
  /**
   * Path of the service, environment or project that it is about, by the member of its id; the organization by default.
   */
  readonly of?: Readonly<Record<string, string>>;
  /** A row that is there, or the answer itself if it has no rows. */
  readonly has?: Row;
  /** A row that is not there. */
  readonly lacks?: Row;
}

export type EndState = ServiceEnd | ReadEnd;

export interface Task {
  /** What somebody wants. */
  readonly want: string;
  /** The failure that is put onto the platform, or `all` of them. */
  readonly scenario?: string;
  /** What was done before, and isn't measured. */
  readonly before?: readonly Step[];
  readonly steps: readonly Step[];
  readonly end?: readonly EndState[];
  /** What must stay as it is. */
  readonly keeps?: readonly EndState[];
  /** What results have to say, each in one of them. */
  readonly says?: string | readonly string[];
  /** What no result may say. */
  readonly hides?: string;
  /** What the server's instructions have to say. */
  readonly told?: string;
}

/** Asks why a deployment failed. @param about a service, or an environment */
export const why = (about: { readonly service: string } | { readonly environment: string }): Step => ({
  ask: 'why did my deploy fail',
  with: about,
});

/** Deploys a service, and waits. */
export const again = (service: string): Step => ({
  ask: 'deploy this container, helm or job service',
  with: { service, wait: true },
});

/** A service or environment that runs, with these members. */
export const runs = (at: string, is?: ServiceEnd['is']): readonly EndState[] => [{ at, state: 'DEPLOYED', is }];
