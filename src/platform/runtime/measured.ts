/** What one instance of a service has used since it started, as far as it is counted. */
export interface InstanceUse {
  readonly serviceId: string;
  /** Tells it from every other instance, also from one that takes its place. */
  readonly id: string;
  readonly node: string;
  /** When this was so by the clock of its node, in milliseconds since the epoch. */
  readonly at: number;
  readonly cpuNanoseconds: number;
  /** In bytes, without what the kernel could drop at once. */
  readonly memory: number;
  /** In bytes, over all networks. */
  readonly received: number;
  readonly sent: number;
  /** What it may use: thousandths of a CPU, and bytes. Absent without a limit. */
  readonly cpuLimit?: number;
  readonly memoryLimit?: number;
}

/**
 * The upper bounds by which requests are counted by their duration, in milliseconds. What takes longer is counted after
 * the last one.
 */
export const durationBounds: readonly number[] = [5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 10_000];

/** The requests to one service from outside. */
export interface RequestCounts {
  readonly serviceId: string;
  readonly requests: number;
  /** Those that were answered with a status of 500 or more. */
  readonly errors: number;
  /**
   * How many took how long: one number for each of `durationBounds`, and one for longer ones. Those without an end of
   * their own, such as WebSockets, are left out.
   */
  readonly byDuration: readonly number[];
}

/** A node of a cluster, as its managers see it. */
export interface NodeSeen {
  readonly id: string;
  readonly name: string;
  /** Whether it is up, and its managers hear of it. */
  readonly isReady: boolean;
  /** How many instances have ended there unexpectedly since the round before. */
  readonly restarts: number;
}

/** One round of measuring what runs on a cluster. */
export interface Measured {
  readonly nodes: readonly NodeSeen[];
  readonly instances: readonly InstanceUse[];
  /** Instances that could not be measured, each with the name of its node and the reason. */
  readonly unmeasured: readonly { readonly serviceId: string; readonly node: string; readonly reason: string }[];
  /**
   * The requests since the round before, to each service that is reached from outside. Absent where none is, where
   * there was no round before, and where they could not be read.
   */
  readonly requests?: { readonly milliseconds: number; readonly services: readonly RequestCounts[] };
  /** Why requests could not be read, or not all of them, as a sentence. */
  readonly requestsProblem?: string;
}

/** Measures what runs on a cluster. */
export interface Meter {
  /** How often to measure, in milliseconds. */
  readonly interval: number;
  /**
   * Begins to measure. What was counted before is not counted again, so whoever measured meanwhile has it.
   * @returns the function that measures one round. It throws an Error with the reason, for people, if nothing can be
   *   measured
   */
  begin(): (signal: AbortSignal) => Promise<Measured>;
}
