import type { Condition } from '../../contract/index.ts';
import type { RuntimeLogLine } from './log-line.ts';
import type { ServiceToRun } from './task.ts';

/** A running version of a service. */
export interface RunningVersion {
  readonly deploymentId: string;
  readonly service: ServiceToRun;
  /** Short commit, if built from git. */
  readonly commitId?: string;
  /** The record of its deployment. */
  readonly record?: string;
  /** Milliseconds since the epoch. */
  readonly runningSince: number;
}

/** An instance that exited although it should have continued to run. */
export interface InstanceEnd {
  /** The same end always has the same id. */
  readonly id: string;
  readonly pod: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Why it exited. Its message is part of a sentence. */
  readonly why: Condition;
  /** Whether it was lost with its node, rather than failed. */
  readonly withNode?: true;
  /** Whether no other node can run it: its data or its image is on that one. */
  readonly isBound?: true;
  /** The last lines that it logged; oldest first. */
  readonly lines: readonly RuntimeLogLine[];
}

/** The status of a service after its deployment. */
export interface RunningService {
  readonly serviceId: string;
  /** How many instances the deployed version has; 0 if it was stopped on request. */
  readonly wanted: number;
  /**
   * How many instances are up. One that was just restarted after a failure doesn't count yet, nor one whose state is
   * unknown.
   */
  readonly running: number;
  /** The instances that exited by themselves and are still known; oldest first. */
  readonly ends: readonly InstanceEnd[];
  /**
   * A problem: instances are missing that didn't exit by themselves, it is unknown whether some run, or the running
   * ones share a node unnecessarily.
   */
  readonly problem?: Condition;
  /** Changes made outside the platform. The next deployment reverts them. */
  readonly changes: readonly Condition[];
}

/** Whether it is unknown whether instances run. */
export const isUnknown = (problem: Condition | undefined): boolean => problem?.reason === 'NODE_UNREACHABLE';

/** The services and environments in the records, by id. */
export interface KnownResources {
  readonly serviceIds: ReadonlySet<string>;
  readonly environmentIds: ReadonlySet<string>;
  /** The records of deployments, newest first. */
  readonly records?: readonly { readonly serviceId: string; readonly record: string }[];
}

/** Resources of services and environments that no record refers to, by readable names. */
export interface Sweep {
  readonly removed: readonly string[];
  /** Resources that it keeps: data, and what is still in use. */
  readonly left: readonly string[];
  /** The machines, or parts of the cluster, that it could not check, and why, as part of a sentence. */
  readonly unasked?: readonly { readonly name: string; readonly why: string }[];
  /** The images that it removed to stay within their size limit, by machine name. */
  readonly images?: Readonly<Record<string, readonly string[]>>;
}
