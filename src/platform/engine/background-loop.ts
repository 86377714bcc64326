import type { PlatformLog } from '../common/index.ts';
import { createFailureLog, type RepeatedWorkTexts } from './failure-log.ts';

/** Work that is repeated. */
export interface RepeatedWork {
  /** How long to wait between two runs, in milliseconds. */
  readonly interval: number;
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly says: RepeatedWorkTexts;
  /** The subject of the work, for the log. */
  readonly about?: object;
}

/** Work that runs in addition to the queues. */
export interface BackgroundLoop {
  readonly start: () => void;
  /** Returns when nothing runs any more. */
  readonly stop: () => Promise<void>;
}

/** Repeats pieces of work, each at its own interval, from `start` to `stop`. Failures are logged. */
export function createBackgroundLoop(log: PlatformLog, works: readonly RepeatedWork[]): BackgroundLoop {
  const stopping = new AbortController();
  const { signal } = stopping;
  let looping: readonly Promise<void>[] = [];

  const pause = (milliseconds: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = (): void => resolve();
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end, { once: true });
    return promise.finally(() => {
      clearTimeout(timer);
      // The signal lives as long as the program, and would accumulate one listener for each pause.
      signal.removeEventListener('abort', end);
    });
  };

  const repeat = async ({ interval, run, says, about = {} }: RepeatedWork): Promise<void> => {
    const { failed, worked } = createFailureLog(log, about, says);
    while (!signal.aborted) {
      try {
        // Runs follow one another.
        await run(signal);
        worked();
      } catch (error) {
        if (!signal.aborted) failed(error);
      }
      await pause(interval);
    }
  };

  return {
    start: () => {
      looping = works.map(repeat);
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(looping);
    },
  };
}
