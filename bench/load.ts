import { type Summary, summarise } from './statistics.ts';

/** The timings of a repeated task. */
export interface Load extends Summary {
  readonly perSecond: number;
}

/**
 * Runs a task a number of times, with several concurrent workers.
 * @param task receives the number of its worker, from zero.
 * @returns the durations in milliseconds, and the rate per second.
 */
export async function load(times: number, workers: number, task: (worker: number) => Promise<unknown>): Promise<Load> {
  const durations: number[] = [];
  let started = 0;
  const runWorker = async (_: unknown, worker: number): Promise<void> => {
    while (started < times) {
      started += 1;
      const taskStart = performance.now();
      await task(worker);
      durations.push(performance.now() - taskStart);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: workers }, runWorker));
  return { ...summarise(durations), perSecond: (durations.length / (performance.now() - start)) * 1000 };
}
