import { type Summary, summarise } from './statistics.ts';

/** What came of doing something again and again. */
export interface Load extends Summary {
  readonly perSecond: number;
}

/**
 * Does something so many times: several workers at once, each beginning anew when it is done.
 * @param task what a worker does, and its number from zero.
 * @returns how long each took, in milliseconds, and how many were done in a second.
 */
export async function load(times: number, workers: number, task: (worker: number) => Promise<unknown>): Promise<Load> {
  const took: number[] = [];
  let begun = 0;
  const work = async (_: unknown, worker: number): Promise<void> => {
    while (begun < times) {
      begun += 1;
      const began = performance.now();
      await task(worker);
      took.push(performance.now() - began);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: workers }, work));
  return { ...summarise(took), perSecond: (took.length / (performance.now() - began)) * 1000 };
}
