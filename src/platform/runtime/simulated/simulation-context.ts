import type * as z from 'zod';
import type { Healthchecks, ServiceKind } from '../../../contract/resources/service.ts';

/** A readiness or liveness probe, as a service configures it. */
export type Probe = NonNullable<z.output<typeof Healthchecks>['readiness_probe']>;

/** What a program is written in: how it speaks when it starts and when it fails. */
export type Language = 'node' | 'python' | 'java';

/** What a version of a program needs and does. What is left out, it doesn't need. */
export interface Program {
  readonly language: Language;
  /** Memory it needs to come up, in MB. */
  readonly memory?: number;
  /** The port it listens on, unless a variable names another. */
  readonly listens?: { readonly port: number; readonly variable?: string };
  /** Statuses of the paths that it answers once it is up; 404 for any other. */
  readonly answers?: Readonly<Record<string, number>>;
  /** A path that is answered with 503 for so long after the start, and what is loaded meanwhile. */
  readonly warmUp?: { readonly path: string; readonly seconds: number; readonly loads: string };
  /** Variables it does not start without. */
  readonly variables?: readonly string[];
  /** Variables that name hosts it reaches when it starts, and the hosts that there are. */
  readonly reaches?: Readonly<Record<string, readonly string[]>>;
  /** The database of its environment that it connects to when it starts, by name, and the port it asks at. */
  readonly database?: { readonly name: string; readonly port: number };
  /** The job of its environment that has to have migrated the database, and the tag it has to have done that with. */
  readonly schema?: { readonly job: string; readonly tag: string };
}

/** A released image. */
export interface Release {
  readonly program?: Program;
  /** For images of jobs that migrate: what is migrated, and how many runs in a row find the table locked before one gets through. */
  readonly migration?: { readonly database: string; readonly table: string; readonly steps: readonly string[]; readonly lockedRuns: number };
}

/** An image: the registries, by id, that let the platform pull it (for jobs: none is named), and its tags. */
export interface ImageFacts {
  readonly registries: readonly string[];
  readonly tags: Readonly<Record<string, Release>>;
}

/** A commit of a repository. */
export interface CommitFacts {
  readonly id: string;
  /** When it was written: days before the day on which the environment is `referenceAgeDays` days old. */
  readonly daysAgo: number;
  readonly author: string;
  readonly message: string;
  /** The line of its Dockerfile that fails, and what it says. */
  readonly buildFailure?: { readonly step: string; readonly exitCode: number; readonly output: readonly string[] };
  readonly program?: Program;
}

/** A git repository, its commits from the oldest on. */
export interface RepositoryFacts {
  readonly commits: readonly CommitFacts[];
  /** For terraform: where the state lies, and a service, by id, some tags of which keep its lock for good some hours after each start. */
  readonly state?: { readonly path: string; readonly holder: string; readonly tags: readonly string[]; readonly stuckAfterHours: number };
}

/** A version of a chart. */
export interface ChartFacts {
  /** How long its pods take to be ready, in seconds, and what they do meanwhile. */
  readonly readySeconds: number;
  readonly progressLines: readonly string[];
}

/** A cluster whose nodes ran out of disk for a while, in days before the environment is `referenceAgeDays` days old. */
export interface ClusterFacts {
  readonly fullDisk: { readonly fromDaysAgo: number; readonly toDaysAgo: number };
}

/**
 * What is known of the world that services run in. Whatever is not known of goes well, but for a service that ran
 * something known: it finds nothing else.
 */
export interface SimulationFacts {
  /** By image name. */
  readonly images: Readonly<Record<string, ImageFacts>>;
  /** By git address. */
  readonly repositories: Readonly<Record<string, RepositoryFacts>>;
  /** By chart name and version. */
  readonly charts: Readonly<Record<string, Readonly<Record<string, ChartFacts>>>>;
  /** By id. */
  readonly clusters: Readonly<Record<string, ClusterFacts>>;
}

/** Age of an environment, in days, that times of the world are counted back from. */
export const referenceAgeDays = 45;

/** A version of a service that runs. */
export interface DeployedService {
  readonly id: string;
  readonly kind: ServiceKind;
  readonly name: string;
  readonly environmentId: string;
  readonly deploymentId: string;
  /** Its configuration as it was deployed. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** What lies around a service, as it is when asked. */
export interface PlatformState {
  /** The environment's age zero, in milliseconds since the epoch, and its cluster's id. */
  environment(id: string): Promise<{ readonly createdAt: number; readonly clusterId: string }>;
  /** Variables that a service sees, by key; null for the values of secrets. */
  variables(service: { readonly id: string; readonly environmentId: string }): Promise<ReadonlyMap<string, string | null>>;
  /** The version that runs of a service, named by id or by its name in an environment; undefined while none runs. */
  runningService(service: string | { readonly environmentId: string; readonly name: string }): Promise<DeployedService | undefined>;
  /** How many deployments of a service in a row have failed before this one. */
  consecutiveFailures(serviceId: string): Promise<number>;
  /** Host of a registry, with its port. */
  registryHost(id: string): Promise<string>;
}

/** The world, and a way to look around in it. */
export interface SimulationContext {
  readonly facts: SimulationFacts;
  readonly platform: PlatformState;
}

/** What is known under a name that somebody chose: images and charts may be called `constructor`. */
export const ownValue = <Value>(names: Readonly<Record<string, Value>>, name: string): Value | undefined => (Object.hasOwn(names, name) ? names[name] : undefined);
