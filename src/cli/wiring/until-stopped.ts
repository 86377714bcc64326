import type { Readable } from 'node:stream';

const signals = ['SIGTERM', 'SIGINT'] as const;

/** Resolves on SIGTERM, SIGINT or the end of the given stream. A second signal kills the process at once. */
export const untilStopped = (stream?: Readable): Promise<void> =>
  new Promise((resolve) => {
    const stop = () => {
      for (const signal of signals) process.off(signal, stop);
      resolve();
    };
    for (const signal of signals) process.on(signal, stop);
    for (const event of ['end', 'close', 'error']) stream?.once(event, stop);
  });
