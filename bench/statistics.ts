import { createHistogram } from 'node:perf_hooks';

/** What many values come to, in their own unit. */
export interface Summary {
  readonly median: number;
  readonly p95: number;
  readonly p99: number;
}

// Histograms count whole numbers; this many steps to a unit make milliseconds nanoseconds.
const steps = 1e6;

/** @param values at least one, none negative. */
export function summarise(values: readonly number[]): Summary {
  const histogram = createHistogram();
  for (const value of values) histogram.record(Math.max(1, Math.round(value * steps)));
  const at = (percentile: number): number => histogram.percentile(percentile) / steps;
  return { median: at(50), p95: at(95), p99: at(99) };
}

export const median = (values: readonly number[]): number => summarise(values).median;
