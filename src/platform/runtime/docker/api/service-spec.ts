/** Labels by name. */
export type DockerLabels = Readonly<Record<string, string>>;

/** The members of every swarm object. */
export interface DockerObject {
  readonly ID: string;
  /** The version that an update must name. */
  readonly Version: { readonly Index: number };
  /** ISO 8601. */
  readonly CreatedAt: string;
  readonly UpdatedAt: string;
}

/** A secret or a config as a file in a container. */
interface MountedFile {
  readonly Name: string;
  /** Owner ids are strings; `Mode` has permission bits, such as 0o400. */
  readonly UID: string;
  readonly GID: string;
  readonly Mode: number;
}

/** A health check. Times are in nanoseconds. */
export interface DockerHealthcheck {
  /** `NONE`, or `CMD` and its arguments, or `CMD-SHELL` and a command. */
  readonly Test: readonly string[];
  readonly Interval?: number;
  readonly Timeout?: number;
  readonly StartPeriod?: number;
  readonly Retries?: number;
}

/** A mount of a volume, a host folder, or memory. */
export interface DockerMount {
  readonly Type: 'volume' | 'bind' | 'tmpfs';
  readonly Source?: string;
  readonly Target: string;
  readonly ReadOnly?: boolean;
  readonly VolumeOptions?: { readonly Labels?: DockerLabels; readonly NoCopy?: boolean };
  readonly TmpfsOptions?: { readonly SizeBytes?: number; readonly Mode?: number };
}

/** The container of each task. `Command` replaces the image's entrypoint, `Args` its command. */
export interface DockerContainerSpec {
  readonly Image: string;
  readonly Command?: readonly string[];
  readonly Args?: readonly string[];
  readonly Env?: readonly string[];
  readonly Dir?: string;
  readonly User?: string;
  readonly Hostname?: string;
  readonly Labels?: DockerLabels;
  readonly Init?: boolean;
  readonly ReadOnly?: boolean;
  readonly StopSignal?: string;
  /** In nanoseconds. */
  readonly StopGracePeriod?: number;
  readonly Healthcheck?: DockerHealthcheck;
  readonly Mounts?: readonly DockerMount[];
  readonly Secrets?: readonly { readonly SecretID: string; readonly SecretName: string; readonly File: MountedFile }[];
  readonly Configs?: readonly { readonly ConfigID: string; readonly ConfigName: string; readonly File: MountedFile }[];
  readonly Hosts?: readonly string[];
  readonly CapabilityDrop?: readonly string[];
  readonly CapabilityAdd?: readonly string[];
}

interface ResourceAmounts {
  readonly NanoCPUs?: number;
  readonly MemoryBytes?: number;
}

/** The tasks of a service or a job. Times are in nanoseconds. */
export interface DockerTaskSpec {
  readonly ContainerSpec: DockerContainerSpec;
  readonly Resources?: {
    readonly Limits?: ResourceAmounts & { readonly Pids?: number };
    readonly Reservations?: ResourceAmounts;
  };
  readonly RestartPolicy?: {
    readonly Condition: 'none' | 'on-failure' | 'any';
    readonly Delay?: number;
    readonly MaxAttempts?: number;
    readonly Window?: number;
  };
  readonly Placement?: {
    readonly Constraints?: readonly string[];
    readonly MaxReplicas?: number;
    readonly Preferences?: readonly { readonly Spread: { readonly SpreadDescriptor: string } }[];
  };
  readonly Networks?: readonly { readonly Target: string; readonly Aliases?: readonly string[] }[];
  readonly LogDriver?: { readonly Name: string; readonly Options?: Readonly<Record<string, string>> };
  /** Changing it replaces all tasks, even if nothing else changed. */
  readonly ForceUpdate?: number;
}

/**
 * Settings of an update. Times are in nanoseconds. The action `rollback` is left out: it would return to whatever the
 * previous spec was.
 */
export interface DockerUpdateConfig {
  readonly Parallelism: number;
  readonly Order: 'start-first' | 'stop-first';
  readonly FailureAction: 'pause' | 'continue';
  readonly Delay?: number;
  readonly Monitor?: number;
  readonly MaxFailureRatio?: number;
}

/** The number of tasks, and whether they run to completion. */
export interface DockerServiceMode {
  readonly Replicated?: { readonly Replicas: number };
  readonly Global?: {};
  readonly ReplicatedJob?: { readonly MaxConcurrent?: number; readonly TotalCompletions?: number };
  readonly GlobalJob?: {};
}

/** A port of a service on its hosts. */
export interface DockerPort {
  readonly Protocol?: 'tcp' | 'udp';
  readonly TargetPort: number;
  readonly PublishedPort?: number;
  readonly PublishMode?: 'ingress' | 'host';
}

/** A service or a job. */
export interface DockerServiceSpec {
  readonly Name: string;
  readonly Labels?: DockerLabels;
  readonly TaskTemplate: DockerTaskSpec;
  readonly Mode?: DockerServiceMode;
  /** Not for jobs. */
  readonly UpdateConfig?: DockerUpdateConfig;
  readonly EndpointSpec?: { readonly Mode?: 'vip' | 'dnsrr'; readonly Ports?: readonly DockerPort[] };
}

/** The desired number of instances of a service; 0 if it has no such number, for example a global service. */
export const replicasOf = ({ Mode }: Pick<DockerServiceSpec, 'Mode'>): number => Mode?.Replicated?.Replicas ?? 0;
