import type { Runtime } from '../runtime/index.ts';
import type { EngineContext } from './context.ts';
import type { Duties } from './duties.ts';

/** How long to wait between two looks at a runtime, in milliseconds. */
const intervalMilliseconds = 3000;

/** What looks after the parts of clusters that services share. */
export interface Upkeep {
  readonly start: () => void;
  /** Returns when nothing runs any more. */
  readonly stop: () => Promise<void>;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Looks after what the services of each cluster share, from `start` to `stop`. What goes wrong is logged when it begins and when it has ended. */
export function createUpkeep({ runtimes, log }: Pick<EngineContext, 'runtimes' | 'log'>, duties: Duties): Upkeep {
  const stopping = new AbortController();
  const { signal } = stopping;
  let looping: readonly Promise<void>[] = [];

  const pause = (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, intervalMilliseconds);
    signal.addEventListener('abort', () => resolve(), { once: true });
    return promise.finally(() => clearTimeout(timer));
  };

  const lookAfter = async (name: string, keepUp: NonNullable<Runtime['keepUp']>): Promise<void> => {
    let problem: string | undefined;
    while (!signal.aborted) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one look follows the other.
        if ((await duties.take(`looking after ${name}`)) !== undefined) await keepUp(signal);
        if (problem !== undefined) log.info({ problem }, 'what the services of a cluster share works again');
        problem = undefined;
      } catch (error) {
        if (!signal.aborted && reasonOf(error) !== problem) log.error({ err: error }, 'what the services of a cluster share could not be looked after');
        problem = reasonOf(error);
      }
      // oxlint-disable-next-line no-await-in-loop
      await pause();
    }
  };

  return {
    start: () => {
      looping = runtimes.all.flatMap(([name, runtime]) => (runtime.keepUp === undefined ? [] : [lookAfter(name, (each) => runtime.keepUp!(each))]));
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(looping);
    },
  };
}
