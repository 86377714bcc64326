import type { Runtime } from '../../src/platform/runtime/index.ts';

/** The runtime of a real cluster on which everything succeeds at once. */
export const instantRuntime: Runtime = {
  refusalOf: () => undefined,
  begin: async () => undefined,
  abandon: async () => undefined,
  commits: async () => [],
  addressesOf: () => [],
  sweep: async () => ({ removed: [], left: [] }),
  observeRunning: async () => [],
  logs: async () => [],
  upgradeFails: () => true,
  simulatedCondition: () => false,
  pauseBefore: () => 0,
  observe: async () => ({ outcome: 'succeeded', lines: [], cursor: '' }),
};
