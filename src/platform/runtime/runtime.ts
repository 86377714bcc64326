import { createHash } from 'node:crypto';
import type { StepName } from '../../contract/resources/deployment.ts';
import type { ServiceKind } from '../../contract/resources/service.ts';
import type { DeploymentAction, DeploymentState } from '../../contract/states.ts';
import type { DeployedCommit, ServiceSpecs } from '../service-spec.ts';

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

/** One piece of work: one phase of one service's deployment. The same task may be given again after a crash. */
export interface Task {
  readonly deploymentId: string;
  readonly action: DeploymentAction;
  readonly phase: Phase;
  readonly service: ServiceToRun;
  /** The commit that was asked for; default the newest of the branch. */
  readonly commitId?: string;
  /** When the phase began, in milliseconds since the epoch. */
  readonly beganAt: number;
}

/** One line of a log, with where and when it was said. */
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
  /** When to look again, in milliseconds since the epoch. The engine leaves at least `minimumObservationMilliseconds` between two looks. */
  readonly nextPollAt: number;
}

interface Succeeded {
  readonly outcome: 'succeeded';
}

interface Failed {
  readonly outcome: 'failed';
  /** In words for whoever reads the log. */
  readonly reason: string;
}

/** What became of a task so far. */
export type Observation = (Ongoing | Succeeded | Failed) & {
  /** Lines since the cursor that was given. */
  readonly lines: readonly RuntimeLogLine[];
  /** To be given to the next observation of the task. */
  readonly cursor: string;
  /** The commit that was found, for services built from git. */
  readonly commit?: DeployedCommit;
};

/** The version of a service that runs. */
export interface RunningVersion {
  readonly deploymentId: string;
  readonly service: ServiceToRun;
  /** Short commit, when built from git. */
  readonly commitId?: string;
  /** Milliseconds since the epoch. */
  readonly runningSince: number;
}

/**
 * Where services run. The engine decides what is to be done and records what came of it; a runtime does it.
 * Every method may be called again with the same task after a crash, and must then go on rather than begin anew.
 */
export interface Runtime {
  /** Fetches and builds, or pulls, what the phase needs. Returns when that is under way, not when it is done. */
  prepare(task: Task): Promise<void>;
  /** Begins to run the version, next to the one that runs. */
  start(task: Task): Promise<void>;
  /** How the task fares. `cursor` is that of the last observation, null before the first. */
  observe(task: Task, cursor: string | null): Promise<Observation>;
  /** Takes the service down; for a canceled deployment, drops what the task began and leaves the running version alone. */
  stop(task: Task): Promise<void>;
  /** The newest lines, at most `limit`, that a running version said by itself; oldest first. */
  logs(version: RunningVersion, limit: number): Promise<readonly RuntimeLogLine[]>;
}

/** Name of the pod that builds a deployment's images. */
export const buildPod = (deploymentId: string): string => `build-${createHash('sha256').update(deploymentId).digest('hex').slice(0, 8)}`;
