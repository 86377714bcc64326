import type { RuntimeProvider } from './runtime/index.ts';

/**
 * The runtimes on which clusters can really run services, by the names that options have for them. Each is loaded where
 * it is used.
 */
export const runtimeProviders = {
  docker: async (): Promise<RuntimeProvider> => (await import('./runtime/docker/index.ts')).dockerProvider,
} as const;

/** The runtime of the commands that take the address of an engine, and name no runtime. */
export const engineProvider = runtimeProviders.docker;
