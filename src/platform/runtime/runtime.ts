import { createHash } from 'node:crypto';
import type { DeploymentAction, DeploymentState, ServiceKind, StepName } from '../../contract/index.ts';
import type { DeployedCommit, ServiceSpecs } from '../common/index.ts';

/** Shortest and longest duration in real life, in seconds. The time scale multiplies both. */
export type SecondsRange = readonly [shortest: number, longest: number];

/** The runtime method that starts a phase. */
export type RuntimeMethod = 'prepare' | 'start' | 'stop';

/** One phase of a service's deployment: its state, the runtime method that starts it, and its state on failure. */
export interface Phase {
  readonly state: DeploymentState;
  readonly step: StepName;
  readonly runtimeMethod: RuntimeMethod;
  readonly takes: SecondsRange;
  readonly onFailure: DeploymentState;
}

/** A service as a runtime sees it: its kind and the configuration of that kind. */
export type ServiceToRun = { [Kind in ServiceKind]: { readonly kind: Kind; readonly spec: ServiceSpecs[Kind] } }[ServiceKind] & {
  readonly id: string;
  readonly name: string;
  readonly environmentId: string;
};

/** One phase of one service's deployment. A runtime can receive the same task again after a crash. */
export interface Task {
  readonly deploymentId: string;
  readonly action: DeploymentAction;
  readonly phase: Phase;
  readonly service: ServiceToRun;
  /** The requested commit; default the newest of the branch. */
  readonly commitId?: string;
  /** When the phase began, in milliseconds since the epoch. */
  readonly beganAt: number;
}

/** One log line, with its time and pod. */
export interface RuntimeLogLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly message: string;
  readonly pod: string;
  /** What the pod runs: a short commit, an image tag, a chart version. */
  readonly version: string;
}

interface Ongoing {
  readonly outcome: 'ongoing';
  /** When to observe again, in milliseconds since the epoch. The engine leaves at least `minimumObservationMilliseconds` between two observations. */
  readonly nextPollAt: number;
}

interface Succeeded {
  readonly outcome: 'succeeded';
}

interface Failed {
  readonly outcome: 'failed';
  /** A message for readers of the log. */
  readonly reason: string;
}

/** The progress of a task. */
export type Observation = (Ongoing | Succeeded | Failed) & {
  /** The lines since the passed cursor. */
  readonly lines: readonly RuntimeLogLine[];
  /** The cursor to pass to the next observation of the task. */
  readonly cursor: string;
  /** The commit that was found, for services built from git. */
  readonly commit?: DeployedCommit;
};

/** A running version of a service. */
export interface RunningVersion {
  readonly deploymentId: string;
  readonly service: ServiceToRun;
  /** Short commit, when built from git. */
  readonly commitId?: string;
  /** Milliseconds since the epoch. */
  readonly runningSince: number;
}

/**
 * Runs services. The engine decides what to do and records the results; a runtime carries it out.
 * After a crash, any method can be called again with the same task. It must then continue rather than start over.
 */
export interface Runtime {
  /** Fetches and builds, or pulls, what the phase needs. Returns once that is under way, not when it is done. */
  prepare(task: Task): Promise<void>;
  /** Starts the new version beside the running one. */
  start(task: Task): Promise<void>;
  /** Reports the progress of a task. `cursor` comes from the last observation; null for the first one. */
  observe(task: Task, cursor: string | null): Promise<Observation>;
  /** Takes the service down. For a canceled deployment, undoes what the task began and leaves the running version alone. */
  stop(task: Task): Promise<void>;
  /** The newest lines, at most `limit`, that a running version has logged; oldest first. */
  logs(version: RunningVersion, limit: number): Promise<readonly RuntimeLogLine[]>;
}

/** The name of the pod that builds a deployment's images. */
export const buildPod = (deploymentId: string): string => `build-${createHash('sha256').update(deploymentId).digest('hex').slice(0, 8)}`;
