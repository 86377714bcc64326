/** The resources that one instance of a service has used since it started, as far as they are counted. */
export interface InstanceUse {
  readonly serviceId: string;
  /** Distinguishes it from every other instance, also from its replacement. */
  readonly id: string;
  readonly node: string;
  /** The time of the sample by the clock of its node, in milliseconds since the epoch. */
  readonly at: number;
  readonly cpuNanoseconds: number;
  /** In bytes, without memory that the kernel could reclaim immediately. */
  readonly memory: number;
  /** In bytes, over all networks. */
  readonly received: number;
  readonly sent: number;
  /** Its limits: thousandths of a CPU, and bytes. Absent without a limit. */
  readonly cpuLimit?: number;
  readonly memoryLimit?: number;
}

/**
 * The upper bounds of the buckets for request durations, in milliseconds. Longer requests are counted after the last
 * one.
 */
export const durationBounds: readonly number[] = [5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 10_000];

/** The requests to one service from outside. */
export interface RequestCounts {
  readonly serviceId: string;
  readonly requests: number;
  /** Those that were answered with a status of 500 or more. */
  readonly errors: number;
  /**
   * How many took how long: one number for each of `durationBounds`, and one for longer ones. Connections that stay
   * open, such as WebSockets, are left out.
   */
  readonly byDuration: readonly number[];
}

/** A node of a cluster, as its managers see it. */
export interface NodeSeen {
  readonly id: string;
  readonly name: string;
  /** Whether it is up, and reachable for its managers. */
  readonly isReady: boolean;
  /** How many instances have exited there unexpectedly since the previous round. */
  readonly restarts: number;
}

/** One round of measuring everything that runs on a cluster. */
export interface Measured {
  readonly nodes: readonly NodeSeen[];
  readonly instances: readonly InstanceUse[];
  /** Instances that could not be measured, each with the name of its node and the reason. */
  readonly unmeasured: readonly { readonly serviceId: string; readonly node: string; readonly reason: string }[];
  /**
   * The requests since the previous round, to each service that is reachable from outside. Absent if there is no such
   * service or no previous round, and if they could not be read.
   */
  readonly requests?: { readonly milliseconds: number; readonly services: readonly RequestCounts[] };
  /** Why requests could not be read, or only some of them, as a sentence. */
  readonly requestsProblem?: string;
}

/** Measures the services that run on a cluster. */
export interface Meter {
  /** How often to measure, in milliseconds. */
  readonly interval: number;
  /**
   * Starts to measure. Earlier requests are not counted again: they belong to earlier measurements.
   * @returns the function that measures one round. It throws an Error with a readable reason if nothing can be measured
   */
  begin(): (signal: AbortSignal) => Promise<Measured>;
}
