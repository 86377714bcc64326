import type * as z from 'zod';
import type { Healthchecks, ServiceKind } from '../../../contract/index.ts';

/** A readiness or liveness probe, as a service configures it. */
export type SimulatedProbe = NonNullable<z.output<typeof Healthchecks>['readiness_probe']>;

/** The language a program is written in. It determines the form of its log. */
export type Language = 'node' | 'python' | 'java';

/** The requirements and the behavior of a version of a program. Absent members are not required. */
export interface Program {
  readonly language: Language;
  /** The memory it needs to start, in MB. */
  readonly memory?: number;
  /** The port it listens on, unless a variable names another. */
  readonly listens?: { readonly port: number; readonly variable?: string };
  /** The HTTP status of each path once it has started; 404 for any other. */
  readonly answers?: Readonly<Record<string, number>>;
  /** A path that returns 503 for this many seconds after the start, and what the program loads in that time. */
  readonly warmUp?: { readonly path: string; readonly seconds: number; readonly loads: string };
  /** Variables that it requires to start. */
  readonly variables?: readonly string[];
  /** Variables with hosts that it connects to when it starts, and the hosts that exist. */
  readonly reaches?: Readonly<Record<string, readonly string[]>>;
  /** The database of its environment that it connects to when it starts, and the port it uses. */
  readonly database?: { readonly name: string; readonly port: number };
  /** The job of its environment that must have migrated the database, and the image tag it must have run with. */
  readonly schema?: { readonly job: string; readonly tag: string };
}

/** A released image. */
export interface Release {
  readonly program?: Program;
  /**
   * For images of migration jobs: what they migrate, and how many runs in a row find the table locked before one
   * succeeds.
   */
  readonly migration?: {
    readonly database: string;
    readonly table: string;
    readonly steps: readonly string[];
    readonly lockedRuns: number;
  };
}

/**
 * An image: the ids of the registries that let the platform pull it (none for jobs, which name no registry), and its
 * tags.
 */
export interface ImageFacts {
  readonly registries: readonly string[];
  readonly tags: Readonly<Record<string, Release>>;
}

/** A commit of a repository. */
export interface CommitFacts {
  readonly id: string;
  /** Its age in days, when the environment is `referenceAgeDays` days old. */
  readonly daysAgo: number;
  readonly author: string;
  readonly message: string;
  /** The Dockerfile line that fails, and its output. */
  readonly buildFailure?: { readonly step: string; readonly exitCode: number; readonly output: readonly string[] };
  readonly program?: Program;
}

/** A git repository. Its commits are listed oldest first. */
export interface RepositoryFacts {
  readonly commits: readonly CommitFacts[];
  /**
   * For Terraform: the path of the state, and the id of a service that never releases the state's lock. It takes the
   * lock some hours after a start with one of the tags.
   */
  readonly state?: {
    readonly path: string;
    readonly holder: string;
    readonly tags: readonly string[];
    readonly stuckAfterHours: number;
  };
}

/** A version of a chart. */
export interface ChartFacts {
  /** How long its pods take to become ready, in seconds. They log `progressLines` in that time. */
  readonly readySeconds: number;
  readonly progressLines: readonly string[];
}

/**
 * A cluster whose nodes ran out of disk space for a while. Times are in days before the environment is
 * `referenceAgeDays` days old.
 */
export interface ClusterFacts {
  readonly fullDisk: { readonly fromDaysAgo: number; readonly toDaysAgo: number };
}

/**
 * The facts of the simulated environment. Anything unknown deploys successfully, with one exception: for a service that
 * ran a known image or chart, an unknown one does not exist.
 */
export interface SimulationFacts {
  /** By image name. */
  readonly images: Readonly<Record<string, ImageFacts>>;
  /** By git URL. */
  readonly repositories: Readonly<Record<string, RepositoryFacts>>;
  /** By chart name and version. */
  readonly charts: Readonly<Record<string, Readonly<Record<string, ChartFacts>>>>;
  /** By id. */
  readonly clusters: Readonly<Record<string, ClusterFacts>>;
}

/** The age of an environment, in days, that the times of the facts refer to. */
export const referenceAgeDays = 45;

/** A running version of a service. */
export interface DeployedService {
  readonly id: string;
  readonly kind: ServiceKind;
  readonly name: string;
  readonly environmentId: string;
  readonly deploymentId: string;
  /** The deployed configuration. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Reads the current state of the platform around a service. */
export interface PlatformState {
  /** When the environment was created, in milliseconds since the epoch, and the id of its cluster. */
  environment(id: string): Promise<{ readonly createdAt: number; readonly clusterId: string }>;
  /** The variables that apply to a service, by key. The values of secrets are null. */
  variables(service: {
    readonly id: string;
    readonly environmentId: string;
  }): Promise<ReadonlyMap<string, string | null>>;
  /** The running version of a service, found by id or by its name in an environment; undefined if none runs. */
  runningService(
    service: string | { readonly environmentId: string; readonly name: string },
  ): Promise<DeployedService | undefined>;
  /** How many of a service's latest deployments have failed in a row. */
  consecutiveFailures(serviceId: string): Promise<number>;
  /** The host of a registry, with its port. */
  registryHost(id: string): Promise<string>;
}

/** The input of the simulation: fixed facts and the platform's state. */
export interface SimulationContext {
  readonly facts: SimulationFacts;
  readonly platform: PlatformState;
}

/** Looks up a user-chosen name, ignoring inherited members: an image may be called `constructor`. */
export const ownValue = <Value>(names: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(names, name) ? names[name] : undefined;
