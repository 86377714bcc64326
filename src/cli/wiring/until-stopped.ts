import { constants } from 'node:os';
import type { Readable } from 'node:stream';

const signals = ['SIGTERM', 'SIGINT'] as const;

const ends = ['end', 'close', 'error'];

const endAtOnce = (signal: (typeof signals)[number]): never => process.exit(128 + constants.signals[signal]);

/**
 * Resolves on SIGTERM, SIGINT or the end of the given stream. A second signal ends the process at once, with the exit
 * code of one that a signal killed. What listens to the event `exit` still runs then.
 */
export const untilStopped = (stream?: Readable): Promise<void> =>
  new Promise((resolve) => {
    const stop = () => {
      for (const signal of signals) process.off(signal, stop).on(signal, endAtOnce);
      for (const event of ends) stream?.off(event, stop);
      resolve();
    };
    for (const signal of signals) process.on(signal, stop);
    for (const event of ends) stream?.once(event, stop);
  });
