import type { Runtime } from './runtime.ts';

/** The runtime of clusters for which none is configured. */
export const simulatedRuntimeName = 'simulated';

/** The runtimes of a platform, by the names that its clusters refer to. */
export interface Runtimes {
  /** The runtime with a name. One that isn't configured in this process refuses everything. */
  named(name: string): Runtime;
  /** All that are configured in this process, with their names. */
  readonly all: readonly (readonly [string, Runtime])[];
}

/**
 * A placeholder for a runtime that this process doesn't have. Services keep running; they can't be changed or queried.
 */
function missingRuntime(name: string): Runtime {
  const refusal = `The cluster's runtime "${name}" isn't configured here: start the platform with the options it was started with before.`;
  const refuse = async (): Promise<never> => {
    throw new Error(refusal);
  };
  return {
    refusalOf: () => refusal,
    begin: refuse,
    observe: refuse,
    abandon: refuse,
    logs: refuse,
    commits: refuse,
    addressesOf: () => [],
    observeRunning: refuse,
    sweep: refuse,
    observationInterval: 10_000,
    upgradeRefusal: refusal,
    upgradeFails: () => true,
    pauseBefore: () => 0,
  };
}

/** Collects runtimes by name. */
export const runtimesOf = (byName: Readonly<Record<string, Runtime>>): Runtimes => ({
  named: (name) => (Object.hasOwn(byName, name) ? byName[name]! : missingRuntime(name)),
  all: Object.entries(byName),
});
