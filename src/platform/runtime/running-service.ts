import type { RuntimeLogLine } from './log-line.ts';

/** An instance that ended although it should have gone on. */
export interface InstanceEnd {
  /** The same end always has the same id. */
  readonly id: string;
  readonly pod: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Why it ended, as a part of a sentence. */
  readonly why: string;
  /** Whether it was lost with its node, and did not fail. */
  readonly withNode?: true;
  /** The last lines that it logged; oldest first. */
  readonly lines: readonly RuntimeLogLine[];
}

/** What is so of a service after its deployment. */
export interface RunningService {
  readonly serviceId: string;
  /** How many instances the deployed version has; 0 if it was stopped on request. */
  readonly wanted: number;
  /** How many instances do their work. One that has just been started after a failure doesn't count yet. */
  readonly running: number;
  /** The instances that ended by themselves, as far as they are still known; oldest first. */
  readonly ends: readonly InstanceEnd[];
  /** Why instances are missing that didn't end by themselves, as a sentence. */
  readonly obstacle?: string;
  /** What somebody changed without the platform, as sentences. The next deployment undoes it. */
  readonly changes: readonly string[];
}

/** The services and environments that the records have, by their ids. */
export interface KnownResources {
  readonly serviceIds: ReadonlySet<string>;
  readonly environmentIds: ReadonlySet<string>;
}

/** What a runtime had of services and environments that no record knows, by names for people. */
export interface Sweep {
  readonly removed: readonly string[];
  /** What it keeps: data, and what is still in use. */
  readonly left: readonly string[];
}
