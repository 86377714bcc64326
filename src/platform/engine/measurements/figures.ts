/** Statistics of the requests to a service. */
export interface RequestFigures {
  readonly perSecond: number;
  /** The fraction that was answered with a status of 500 or more, from 0 to 1; undefined without requests. */
  readonly errorRatio?: number;
  /**
   * The 95th percentile of the durations in milliseconds, as exact as their buckets allow; undefined without requests.
   */
  readonly p95?: number;
}

/** The resource usage of a service, as it is stored. */
export interface ServiceFigures {
  /** The measured time span, in seconds. */
  readonly seconds: number;
  /** How many instances were measured. */
  readonly instances: number;
  /**
   * Thousandths of a CPU: of all instances, of the instance that uses the most, and the limit of all. Undefined until
   * there are two samples.
   */
  readonly cpu?: number;
  readonly worstCpu?: number;
  readonly cpuLimit?: number;
  /** Bytes: the same at the last sample. */
  readonly memory: number;
  readonly worstMemory: number;
  readonly memoryLimit?: number;
  /** Bytes per second. */
  readonly received?: number;
  readonly sent?: number;
  readonly requests?: RequestFigures;
  /** Which instances could not be measured, and why, as sentences. */
  readonly missing: readonly string[];
  /** Why its requests could not be counted, as a sentence. */
  readonly requestsMissing?: string;
}

/**
 * Figures of a node, as they are stored: what the instances of this platform use there, in thousandths of a CPU, bytes,
 * and bytes per second, where they can be measured. Rates are undefined until there are two samples. Members that older
 * versions didn't write are undefined too.
 */
export interface NodeFigures {
  readonly name?: string;
  readonly isReady?: boolean;
  /** How many instances exited there unexpectedly. */
  readonly restarts?: number;
  readonly cpu?: number;
  readonly memory?: number;
  readonly received?: number;
  readonly sent?: number;
}

/** The time span that figures cover, in milliseconds. */
export const windowMilliseconds = 5 * 60_000;

/** After how long figures are too old to describe the present, in milliseconds. */
export const staleMilliseconds = 2 * 60_000;
