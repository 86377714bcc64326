import type { Figure } from './figure.ts';
import type { BundledProgram } from './program.ts';

/** Another server to measure for comparison. */
export interface OtherServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Settings and helpers of a benchmark run. */
export interface BenchContext {
  /** The bundled program, built on first use. */
  readonly program: () => Promise<BundledProgram>;
  readonly others: readonly OtherServer[];
  /** Number of process starts for each figure. */
  readonly runs: number;
  /** Scales a number of repetitions down for a quick run. */
  readonly repetitions: (full: number) => number;
  /** Logs progress. */
  readonly log: (line: string) => void;
}

/** One benchmark. */
export interface Measurement {
  readonly name: string;
  /** What is measured, and against which reference. */
  readonly about: string;
  readonly measure: (bench: BenchContext) => Promise<readonly Figure[]>;
}
