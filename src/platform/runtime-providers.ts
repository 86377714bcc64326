import type { RuntimeProvider, simulatedRuntimeName } from './runtime/index.ts';

/** The runtime that runs nothing, by its name in options. */
export const simulatedRuntime: typeof simulatedRuntimeName = 'simulated';

/** The real runtimes of clusters, by their names in options. Each is loaded when it is used. */
export const runtimeProviders = {
  docker: async (): Promise<RuntimeProvider> => (await import('./runtime/docker/index.ts')).dockerProvider,
} as const;

/** The names of the real runtimes in options. */
export const runtimeNames = Object.keys(runtimeProviders) as (keyof typeof runtimeProviders)[];

/** The runtime of the commands that take the address of an engine, without a runtime's name. */
export const engineProvider = runtimeProviders.docker;
