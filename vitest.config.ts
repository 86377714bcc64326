import { defineConfig } from 'vitest/config';

/** The suites that run by their name only, with `--mode <name>`. Without one the fast tests run: all the others. */
const named: Readonly<Record<string, string>> = {
  slow: 'test/slow/**/*.test.ts',
  browser: 'test/browser/**/*.test.ts',
};

export default defineConfig(({ mode }) => {
  const files = named[mode];
  return {
    test: {
      include: [files ?? 'test/**/*.test.ts'],
      exclude: files === undefined ? Object.values(named) : [],
      passWithNoTests: mode === 'slow',
      pool: 'forks',
      maxWorkers: 2,
      testTimeout: files === undefined ? 30_000 : 600_000,
      hookTimeout: files === undefined ? 30_000 : 300_000,
    },
  };
});
