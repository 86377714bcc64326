import { defineConfig } from 'vitest/config';

const slow = 'test/slow/**/*.test.ts';

/** Two suites: the fast one by default, the slow one with `--mode slow`. */
export default defineConfig(({ mode }) => ({
  test: {
    include: mode === 'slow' ? [slow] : ['test/**/*.test.ts'],
    exclude: mode === 'slow' ? [] : [slow],
    passWithNoTests: mode === 'slow',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: mode === 'slow' ? 600_000 : 30_000,
    hookTimeout: 30_000,
  },
}));
