import type { RepeatedWork } from './background-loop.ts';
import type { EngineContext } from './context.ts';
import type { LeaderLocks } from './leader-locks.ts';

/** How long to wait between two reconciliations of a runtime, in milliseconds. */
const intervalMilliseconds = 3000;

const says = {
  failure: 'the shared parts of a cluster could not be reconciled',
  recovery: 'the shared parts of a cluster are reconciled again',
};

/** Reconciles the parts of clusters that services share. */
export const reconciliationOf = (
  { runtimes, log }: Pick<EngineContext, 'runtimes' | 'log'>,
  leaderLocks: LeaderLocks,
): readonly RepeatedWork[] =>
  runtimes.all.flatMap(([name, { reconcile = [] }]) =>
    reconcile.map((each) => ({
      interval: intervalMilliseconds,
      says,
      about: { runtime: name },
      run: async (signal) => {
        const changed = (await leaderLocks.take(`looking after ${name}`)) === undefined ? [] : await each(signal);
        for (const change of changed) log.warn({ runtime: name }, change);
      },
    })),
  );
