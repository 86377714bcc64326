import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { patience } from './test/support/eventually.ts';
import { leftOut } from './test/support/postgres/left-out.ts';
import { reportsVariable } from './test/support/suite-counts.ts';
import { fastSuite, filesOf, isLanding, suiteOfMode, tryAllVariable } from './test/suites.ts';

/** Those of the thorough suite that replace modules, which needs a worker that has loaded none. */
const replacingModules = ['test/server/call/stage-failures.test.ts', 'test/server/guard/approvals/deriving.test.ts'];

/** The suites whose tests start the built program. */
const starting = ['thorough', 'attacks', 'browser', 'docker', 'clients', 'slow', 'fleet'];

/** Where a run of several suites wants to read how many tests passed. */
const reports = process.env[reportsVariable];

// The named suites run with `--mode <name>`; test/suites.ts has them. Without a mode the fast tests run.
export default defineConfig(({ mode }) => {
  const suite = suiteOfMode(mode);
  const isFast = suite === fastSuite;
  // A whole platform and its clients in one process: what mostly computes, and waits a little.
  const isInProcess = isFast || suite.name === 'e2e';
  const files = filesOf(suite, isLanding ? 'landing' : 'full');
  const include = [...files.include];
  const exclude = [...files.exclude, ...(mode === 'postgres' ? Object.keys(leftOut) : [])];
  const perSuite = {
    globalSetup: starting.includes(mode)
      ? ['test/support/build-once.ts']
      : mode === 'postgres'
        ? ['test/support/postgres/global-setup.ts']
        : [],
    setupFiles: ['test/support/runs.ts'],
    ...(isInProcess ? {} : { env: { [tryAllVariable]: 'true' } }),
    // These mostly wait for deployments to end. On a slow machine all of them take as long as the suite.
    ...(mode === 'foreign' ? { maxConcurrency: 20 } : {}),
    // Each of these starts programs that keep a core busy.
    ...(mode === 'clients' ? { maxConcurrency: 3 } : {}),
    // Only what hangs takes that long: a machine may be slow, and a test says what it waited for.
    testTimeout: isFast ? 2 * patience : mode === 'foreign' ? 1_800_000 : 600_000,
    hookTimeout: isFast ? 2 * patience : 300_000,
    expect: { poll: { timeout: patience } },
  };
  // Most of a test's time would go into loading the same modules for each file.
  const [shared, isolated] = [
    { ...perSuite, isolate: false },
    { ...perSuite, isolate: true },
  ];
  return {
    test: {
      pool: 'forks',
      ...(reports === undefined
        ? {}
        : { reporters: ['default', ['json', { outputFile: join(reports, `${suite.name}.json`) }]] }),
      // Some tests wait more than they work: a third worker uses what they leave of two cores. Engines share a network,
      // where there is room for one.
      maxWorkers: isInProcess ? 3 : mode === 'docker' ? 1 : 2,
      ...(mode === 'thorough'
        ? {
            projects: [
              { test: { ...shared, name: 'thorough', include, exclude: [...exclude, ...replacingModules] } },
              { test: { ...isolated, name: 'replacing modules', include: replacingModules, exclude, globalSetup: [] } },
            ],
          }
        : { ...(isInProcess || mode === 'postgres' ? shared : isolated), include, exclude }),
    },
  };
});
