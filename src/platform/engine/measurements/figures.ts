/** What requests to a service were like. */
export interface RequestFigures {
  readonly perSecond: number;
  /** The part of them that was answered with a status of 500 or more, from 0 to 1; undefined without requests. */
  readonly errorRatio?: number;
  /** How many milliseconds 95 of 100 took at most, as far as their groups tell; undefined without requests. */
  readonly p95?: number;
}

/** What a service uses, as it is stored. */
export interface ServiceFigures {
  /** Over how many seconds. */
  readonly seconds: number;
  /** How many instances were measured. */
  readonly instances: number;
  /**
   * Thousandths of a CPU: of all instances, of the one that uses most, and what all may use. Undefined until there are
   * two samples.
   */
  readonly cpu?: number;
  readonly worstCpu?: number;
  readonly cpuLimit?: number;
  /** Bytes: the same at the last sample. */
  readonly memory: number;
  readonly worstMemory: number;
  readonly memoryLimit?: number;
  /** Bytes a second. */
  readonly received?: number;
  readonly sent?: number;
  readonly requests?: RequestFigures;
  /** Which instances could not be measured, and why, as sentences. */
  readonly missing: readonly string[];
  /** Why its requests could not be counted, as a sentence. */
  readonly requestsMissing?: string;
}

/**
 * What is known of a node, as it is stored: what the instances of this platform use there, in thousandths of a CPU,
 * bytes, and bytes a second, where they can be measured. Rates are undefined until there are two samples. What older
 * programs didn't write is undefined too.
 */
export interface NodeFigures {
  readonly name?: string;
  readonly isReady?: boolean;
  /** How many instances ended there unexpectedly. */
  readonly restarts?: number;
  readonly cpu?: number;
  readonly memory?: number;
  readonly received?: number;
  readonly sent?: number;
}

/** The time that figures are about, in milliseconds. */
export const windowMilliseconds = 5 * 60_000;

/** After which time figures say nothing of the present any more, in milliseconds. */
export const staleMilliseconds = 2 * 60_000;
