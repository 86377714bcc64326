import { defineConfig } from 'vitest/config';
import { leftOut } from './test/support/postgres/left-out.ts';

/** The suites that run by their name only, with `--mode <name>`. Without one the fast tests run: all the others. */
const named: Readonly<Record<string, readonly string[]>> = {
  slow: ['test/slow/**/*.test.ts'],
  browser: ['test/browser/**/*.test.ts'],
  attacks: ['test/attacks/**/*.test.ts'],
  // Every tool against a platform that isn't ours, with each way in which it may differ.
  foreign: ['test/foreign/**/*.test.ts'],
  // Against Docker engines that the suite starts; test/docker/run.ts starts it.
  docker: ['test/docker/**/*.test.ts'],
  // MCP clients made by others, which it installs from the package registry.
  clients: ['test/clients/**/*.test.ts'],
  contributing: ['test/contributing/**/*.test.ts'],
  // The platform's tests once more, with its records in PostgreSQL, and what is particular to that.
  postgres: ['test/postgres/on-server/**/*.test.ts'],
  // Several platforms and servers on one PostgreSQL under load, with proxies in between, while parts of them fail.
  fleet: ['test/fleet/**/*.test.ts'],
  // What starts whole programs, goes through everything there is, tries many inputs, derives keys that are slow to derive, or keeps the platform's control:
  // as long as all the others together.
  thorough: [
    'test/cli/**/*.test.ts', 'test/docs/commands.test.ts', 'test/transport/command.test.ts', 'test/telemetry/command.test.ts', 'test/transport/replicas.test.ts', 'test/shipping/**/*.test.ts', 'test/demo.test.ts', 'test/pictures.test.ts', 'test/parity/**/*.test.ts', 'test/eval/**/*.test.ts',
    'test/e2e/guard/decision-table.test.ts', 'test/e2e/guard/denied-places.test.ts', 'test/e2e/guard/denied-reads.test.ts', 'test/platform/testing/scenarios-in-a-directory.test.ts', 'test/e2e/waiting.test.ts', 'test/e2e/fixes.test.ts',
    'test/e2e/guard/properties.test.ts', 'test/transport/caller-isolation.test.ts', 'test/client/any-answer.test.ts', 'test/platform/api/arbitrary-json.test.ts',
    'test/platform/testing/control/**/*.test.ts', 'test/server/guard/approvals/**/*.test.ts', 'test/server/guard/storage/processes.test.ts', 'test/transport/approvals.test.ts', 'test/e2e/guard/attacks.test.ts', 'test/e2e/guard/secrets.test.ts',
    'test/e2e/shown-tools.test.ts', 'test/e2e/rollback.test.ts', 'test/e2e/redeploy.test.ts', 'test/e2e/unknown-rows.test.ts', 'test/tools/reads.test.ts', 'test/platform/api/documented-answers.test.ts', 'test/transport/odd-names.test.ts', 'test/bench/bench.test.ts', 'test/platform/engine/crash.test.ts',
    'test/e2e/altered-answers-thorough.test.ts', 'test/platform/runtime/docker/probe.test.ts', 'test/platform/runtime/docker/probe-checks.test.ts', 'test/platform/runtime/docker/git/fetch-commit.test.ts', 'test/server/redaction/recognition-time.test.ts',
    'test/server/call/stage-failures.test.ts', 'test/e2e/other-reading.test.ts', 'test/tools/organization-overview.test.ts',
  ],
};

/** Those of the thorough suite that replace modules, which needs a worker that has loaded none. */
const replacingModules = ['test/server/call/stage-failures.test.ts', 'test/server/guard/approvals/deriving.test.ts'];

/** The tests of the platform, and of what servers share, that run on PostgreSQL too. */
const onPostgresToo = [
  'test/platform/{api,engine,seed,store,testing}/**/*.test.ts',
  'test/server/guard/{clock,high-risk-calls,shared-answers}.test.ts', 'test/server/guard/storage/{store,processes}.test.ts', 'test/server/guard/approvals/approvals.test.ts', 'test/server/audit/anchors.test.ts',
 
];

/** The suites whose tests start the built program. */
const starting = ['thorough', 'attacks', 'browser', 'docker', 'clients', 'slow', 'fleet'];

export default defineConfig(({ mode }) => {
  const files = named[mode];
  const include = [...(files ?? ['test/**/*.test.ts']), ...(mode === 'postgres' ? onPostgresToo : [])];
  const exclude = files === undefined ? Object.values(named).flat() : mode === 'postgres' ? Object.keys(leftOut) : [];
  const perSuite = {
    globalSetup: starting.includes(mode) ? ['test/support/build-once.ts'] : mode === 'postgres' ? ['test/support/postgres/global-setup.ts'] : [],
    // These mostly wait for deployments to end.
    ...(mode === 'foreign' ? { maxConcurrency: 20 } : {}),
    // Each of these starts programs that keep a core busy.
    ...(mode === 'clients' ? { maxConcurrency: 3 } : {}),
    testTimeout: files === undefined ? 30_000 : 600_000,
    hookTimeout: files === undefined ? 30_000 : 300_000,
  };
  // Most of a test's time would go into loading the same modules for each file.
  const [shared, isolated] = [{ ...perSuite, isolate: false }, { ...perSuite, isolate: true }];
  return {
    test: {
      passWithNoTests: mode === 'slow',
      pool: 'forks',
      // Some tests wait more than they work: a third worker uses what they leave of two cores. Engines share a network, where there is room for one.
      maxWorkers: files === undefined ? 3 : mode === 'docker' ? 1 : 2,
      ...(mode === 'thorough'
        ? {
            projects: [
              { test: { ...shared, name: 'thorough', include, exclude: replacingModules } },
              { test: { ...isolated, name: 'replacing modules', include: replacingModules, globalSetup: [] } },
            ],
          }
        : { ...(files === undefined || mode === 'postgres' ? shared : isolated), include, exclude }),
    },
  };
});
