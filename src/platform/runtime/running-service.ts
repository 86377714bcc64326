import type { Condition } from '../../contract/index.ts';
import type { RuntimeLogLine } from './log-line.ts';
import type { ServiceToRun } from './task.ts';

/** A running version of a service. */
export interface RunningVersion {
  readonly deploymentId: string;
  readonly service: ServiceToRun;
  /** Short commit, when built from git. */
  readonly commitId?: string;
  /** What its deployment recorded. */
  readonly record?: string;
  /** Milliseconds since the epoch. */
  readonly runningSince: number;
}

/** An instance that ended although it should have gone on. */
export interface InstanceEnd {
  /** The same end always has the same id. */
  readonly id: string;
  readonly pod: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Why it ended. Its message is a part of a sentence. */
  readonly why: Condition;
  /** Whether it was lost with its node, and did not fail. */
  readonly withNode?: true;
  /** Whether no other node may run it: its data or its image is on that one. */
  readonly isBound?: true;
  /** The last lines that it logged; oldest first. */
  readonly lines: readonly RuntimeLogLine[];
}

/** What is so of a service after its deployment. */
export interface RunningService {
  readonly serviceId: string;
  /** How many instances the deployed version has; 0 if it was stopped on request. */
  readonly wanted: number;
  /**
   * How many instances do their work. One that has just been started after a failure doesn't count yet, nor one of
   * which nobody can tell.
   */
  readonly running: number;
  /** The instances that ended by themselves, as far as they are still known; oldest first. */
  readonly ends: readonly InstanceEnd[];
  /**
   * Why instances are missing that didn't end by themselves, that nobody can tell whether some run, or that those which
   * run share a node needlessly.
   */
  readonly problem?: Condition;
  /** What somebody changed without the platform. The next deployment undoes it. */
  readonly changes: readonly Condition[];
}

/** Whether nobody can tell whether instances run. */
export const isUnknown = (problem: Condition | undefined): boolean => problem?.reason === 'NODE_UNREACHABLE';

/** The services and environments that the records have, by their ids. */
export interface KnownResources {
  readonly serviceIds: ReadonlySet<string>;
  readonly environmentIds: ReadonlySet<string>;
  /** What deployments recorded, the newest first. */
  readonly records?: readonly { readonly serviceId: string; readonly record: string }[];
}

/** What a runtime had of services and environments that no record knows, by names for people. */
export interface Sweep {
  readonly removed: readonly string[];
  /** What it keeps: data, and what is still in use. */
  readonly left: readonly string[];
  /** The machines, or parts of the cluster, in which it could not look, and why, as a part of a sentence. */
  readonly unasked?: readonly { readonly name: string; readonly why: string }[];
  /** The images that it removed to keep them to their size, by the names of machines. */
  readonly images?: Readonly<Record<string, readonly string[]>>;
}
