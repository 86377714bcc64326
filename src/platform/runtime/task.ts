import type { DeploymentAction, DeploymentState, ServiceKind, StepName } from '../../contract/index.ts';
import type { ServiceSpecs } from '../common/index.ts';

/** What a runtime can be told to do for a service. */
export type RuntimeOperation =
  /** Fetch the source at a commit. */
  | 'fetchSource'
  /** Build the image from what was fetched. */
  | 'build'
  /** Make the image available where it will run. */
  | 'pull'
  /** Replace the running version by this one. */
  | 'rollOut'
  /** Send requests to the version that was rolled out. */
  | 'route'
  /** Run to completion. */
  | 'run'
  /** Replace all instances by new ones of the same version. */
  | 'restart'
  /** Take all instances down. What is stored stays. */
  | 'stop'
  /** Take the service down with everything that belongs to it. */
  | 'remove';

/** One phase of a service's deployment: its state, what the runtime does in it, and its state on failure. */
export interface Phase {
  readonly state: DeploymentState;
  readonly step: StepName;
  readonly operation: RuntimeOperation;
  /** How long it may take, in seconds. A phase that takes longer fails. */
  readonly limitSeconds: number;
  readonly onFailure: DeploymentState;
}

/** A service as a runtime sees it: its kind and the configuration of that kind. */
export type ServiceToRun = {
  [Kind in ServiceKind]: { readonly kind: Kind; readonly spec: ServiceSpecs[Kind] };
}[ServiceKind] & { readonly id: string; readonly name: string; readonly environmentId: string };

/** What a deployment has to know that brings a database back. */
export interface Restoration {
  readonly backupId: string;
  /** Words for people that tell which backup it is. */
  readonly backup: string;
  /** What was recorded of the backup. */
  readonly record: string;
  /** Where the database is to run, in the runtime's own words. */
  readonly place: string;
}

/** One phase of one service's deployment. A runtime can receive the same task again after a crash. */
export interface Task {
  readonly deploymentId: string;
  /**
   * Grows with every deployment, and with every worker that takes one over. What was done with a greater token must not
   * be undone with a smaller one: whoever asks for it was away, and is not in charge any more.
   */
  readonly fencingToken: number;
  readonly action: DeploymentAction;
  readonly phase: Phase;
  readonly service: ServiceToRun;
  /** Whether it only plans what a deployment would change. */
  readonly isPlan?: true;
  /** The requested commit; default the newest of the branch. */
  readonly commitId?: string;
  /** What earlier phases of this deployment recorded. */
  readonly record?: string;
  /** What the deployment recorded whose version runs now; absent if none runs. */
  readonly runningRecord?: string;
  /** The backup that a database is brought back from; absent for all other deployments. */
  readonly restoration?: Restoration;
  /** When the phase began, in milliseconds since the epoch. */
  readonly beganAt: number;
  /** When the phase fails if it hasn't ended, in milliseconds since the epoch. */
  readonly deadline: number;
}

/** A variable with the value that a service gets. */
export interface ResolvedVariable {
  readonly key: string;
  readonly value: string;
  readonly isSecret: boolean;
  /** Where the service finds the value as a file, instead of as a variable. */
  readonly mountPath?: string;
}

/** A domain of a service. */
export interface ServiceDomain {
  readonly domain: string;
  /** Whether the cluster is to get a certificate for it; otherwise somebody else holds it. */
  readonly hasCertificate: boolean;
}

/** What a database lets its neighbours in by. */
export interface DatabaseCredentials {
  /** The name of the database; for Redis its number. */
  readonly name: string;
  readonly user: string;
  readonly password: string;
}

/**
 * What a task needs beside the configuration of its service. It holds secrets in the open: never log it or store it.
 */
export interface TaskInputs {
  readonly variables: readonly ResolvedVariable[];
  /** The registry of a container's image. */
  readonly registry?: { readonly name: string; readonly kind: string; readonly url: string };
  /** The name and the mode of its environment. */
  readonly environmentName?: string;
  readonly environmentMode?: string;
  /** The name of its project. */
  readonly projectName?: string;
  /** The domains that somebody chose for it, in lower case. A name may begin with a star. */
  readonly domains?: readonly ServiceDomain[];
  /** Of a database: those that its neighbours have as variables. */
  readonly database?: DatabaseCredentials;
}
