import { vi } from 'vitest';

/**
 * How long tests wait for what has to come, in milliseconds. A machine may be slow: only what never comes should fail.
 */
export const patience = 120_000;

/**
 * Tries again until an attempt throws nothing.
 * @returns what the attempt returned
 * @throws what the last attempt threw, once the patience of tests is over
 */
export const eventually = <Result>(attempt: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(attempt, { timeout: patience, interval: 20 });
