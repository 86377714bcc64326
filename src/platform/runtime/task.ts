import type { DeploymentAction, DeploymentState, ServiceKind, StepName } from '../../contract/index.ts';
import type { ServiceSpecs } from '../common/index.ts';

/** The operations of a runtime on a service. */
export type RuntimeOperation =
  /** Fetch the source at a commit. */
  | 'fetchSource'
  /** Build the image from the fetched source. */
  | 'build'
  /** Make the image available where it will run. */
  | 'pull'
  /** Replace the running version with this one. */
  | 'rollOut'
  /** Route requests to the version that was rolled out. */
  | 'route'
  /** Run to completion. */
  | 'run'
  /** Replace all instances with new ones of the same version. */
  | 'restart'
  /** Take all instances down. Stored data stays. */
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

/** The information that a deployment needs to restore a database. */
export interface Restoration {
  readonly backupId: string;
  /** A readable text that identifies the backup. */
  readonly backup: string;
  /** The record of the backup. */
  readonly record: string;
  /** Where the database is to run, in the runtime's format. */
  readonly place: string;
}

/** One phase of one service's deployment. A runtime can receive the same task again after a crash. */
export interface Task {
  readonly deploymentId: string;
  /**
   * Grows with every deployment, and with every worker that takes one over. An operation with a greater token must not
   * be undone with a smaller one: the worker with the smaller one has lost the deployment.
   */
  readonly fencingToken: number;
  readonly action: DeploymentAction;
  readonly phase: Phase;
  readonly service: ServiceToRun;
  /** Whether it only plans what a deployment would change. */
  readonly isPlan?: true;
  /** The requested commit; default: the newest of the branch. */
  readonly commitId?: string;
  /** The record of earlier phases of this deployment. */
  readonly record?: string;
  /** The record of the deployment whose version runs now; absent if none runs. */
  readonly runningRecord?: string;
  /** The backup to restore a database from; absent for all other deployments. */
  readonly restoration?: Restoration;
  /** When the phase started, in milliseconds since the epoch. */
  readonly beganAt: number;
  /** When the phase fails if it hasn't finished, in milliseconds since the epoch. */
  readonly deadline: number;
}

/** A variable with the value that a service receives. */
export interface ResolvedVariable {
  readonly key: string;
  readonly value: string;
  readonly isSecret: boolean;
  /** The path at which the service finds the value as a file, instead of as a variable. */
  readonly mountPath?: string;
}

/** A domain of a service. */
export interface ServiceDomain {
  readonly domain: string;
  /** Whether the cluster obtains a certificate for it; otherwise the certificate is held elsewhere. */
  readonly hasCertificate: boolean;
}

/** The credentials with which other services of the environment access a database. */
export interface DatabaseCredentials {
  /** The name of the database; for Redis its number. */
  readonly name: string;
  readonly user: string;
  readonly password: string;
}

/** A token for the private repository that a service is built from. */
export interface GitTokenInput {
  /** Its display name. */
  readonly name: string;
  /** The only host that it may be sent to, with its port. */
  readonly host: string;
  readonly token: string;
}

/** The registry of an image. */
export interface RegistryInput {
  readonly name: string;
  readonly kind: string;
  readonly url: string;
  /** Those that are stored with it. Default: none, or the operator's. */
  readonly credentials?: { readonly username: string; readonly password: string };
}

/**
 * The inputs of a task in addition to the configuration of its service. They contain secrets in plain text: never log
 * or store them.
 */
export interface TaskInputs {
  readonly variables: readonly ResolvedVariable[];
  /** The registry of a container's image. */
  readonly registry?: RegistryInput;
  /** The token that the configuration of its source names; absent if it names none, or one that no longer exists. */
  readonly gitToken?: GitTokenInput;
  /** The name and the mode of its environment. */
  readonly environmentName?: string;
  readonly environmentMode?: string;
  /** The name of its project. */
  readonly projectName?: string;
  /** The domains that the user chose for it, in lower case. A name may start with an asterisk. */
  readonly domains?: readonly ServiceDomain[];
  /** For a database: the credentials that other services of the environment have as variables. */
  readonly database?: DatabaseCredentials;
}
