import type { Figure } from './figure.ts';
import type { BundledProgram } from './program.ts';

/** Another server to be measured beside this one. */
export interface OtherServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** What measurements work with. */
export interface BenchContext {
  /** The bundled program. Built when first asked for. */
  readonly program: () => Promise<BundledProgram>;
  readonly others: readonly OtherServer[];
  /** How often a process is started for one figure. */
  readonly runs: number;
  /** Of a number of repetitions, as many as this run has time for. */
  readonly repetitions: (whole: number) => number;
  /** Tells how far it is. */
  readonly log: (line: string) => void;
}

/** One thing to measure. */
export interface Measurement {
  readonly name: string;
  /** What is measured, how, against what. */
  readonly about: string;
  readonly measure: (bench: BenchContext) => Promise<readonly Figure[]>;
}
