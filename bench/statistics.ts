import { createHistogram } from 'node:perf_hooks';

/** Statistics of a set of values, in their unit. */
export interface Summary {
  readonly median: number;
  readonly p95: number;
  readonly p99: number;
}

// Histograms count integers: milliseconds are recorded as nanoseconds.
const steps = 1e6;

/** Computes the statistics of values. @param values at least one, none negative. */
export function summarise(values: readonly number[]): Summary {
  const histogram = createHistogram();
  for (const value of values) histogram.record(Math.max(1, Math.round(value * steps)));
  const at = (percentile: number): number => histogram.percentile(percentile) / steps;
  return { median: at(50), p95: at(95), p99: at(99) };
}

/** The median of values. */
export const median = (values: readonly number[]): number => summarise(values).median;
