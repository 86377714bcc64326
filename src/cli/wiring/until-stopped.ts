import type { Readable } from 'node:stream';

const signals = ['SIGTERM', 'SIGINT'] as const;

/** Waits until this process is asked to end: by a signal, or by the end of the given stream. A second signal ends it at once. */
export const untilStopped = (stream?: Readable): Promise<void> =>
  new Promise((resolve) => {
    const stop = () => {
      for (const signal of signals) process.off(signal, stop);
      resolve();
    };
    for (const signal of signals) process.on(signal, stop);
    for (const event of ['end', 'close', 'error']) stream?.once(event, stop);
  });
