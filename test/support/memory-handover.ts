import type { Handover } from '../../src/server/guard/index.ts';

/** Where new secrets go in tests: into memory. */
export interface MemoryHandover extends Handover {
  readonly kept: { readonly about: string; readonly secret: string }[];
  /** How many places were reserved and given up without a secret. */
  released(): number;
}

/** Hands secrets over to the test. */
export function memoryHandover(): MemoryHandover {
  const kept: MemoryHandover['kept'] = [];
  let open = 0;
  return {
    kept,
    released: () => open - kept.length,
    whyUnavailable: async () => undefined,
    reserve: async (about) => {
      open += 1;
      return {
        where: 'with the test',
        put: async (secret) => void kept.push({ about, secret }),
        release: async () => undefined,
      };
    },
  };
}
