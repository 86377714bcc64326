/** Runs the official conformance suite, both revisions, against the program and against its HTTP host with fixtures. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { extensions, checksNeedingFixtures, neutral, alsoPassed, revisions, type Revision } from './expectations.ts';
import { conformanceOf, failuresIn, requiredBy, type Results } from './suite.ts';
import { localAuthentication } from '../../src/transport/http/identity.ts';
import { startHttpServer } from '../../src/transport/index.ts';
import { fixtureServer } from './fixtures/server.ts';

/** A server to be looked at. */
interface Subject {
  readonly url: string;
  readonly close: () => Promise<unknown>;
}

const root = join(import.meta.dirname, '../..');

/** The program as users start it, with a platform of its own. */
async function startProgram(): Promise<Subject> {
  const dataDir = await mkdtemp(join(tmpdir(), 'infra-mcp-conformance-data-'));
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), join(root, 'src/main.ts'), 'http', '--port', '0', '--data-dir', dataDir],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(() => {
      throw new Error('infra-mcp http ended before it was ready.');
    }),
  ])) as [string];
  return {
    url: (JSON.parse(line) as { url: string }).url,
    close: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const silent = () => undefined;

/** The same HTTP host, with the tools that the suite looks for. */
async function startFixtures(): Promise<Subject> {
  return startHttpServer({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    allowedOrigins: [],
    authenticate: localAuthentication,
    build: fixtureServer,
    levelOf: () => undefined,
    holdsToken: true,
    askPlatform: async () => undefined,
    clock: { now: Date.now },
    log: { debug: silent, info: silent, warn: silent, error: silent },
    limits: { shutdownDelay: 0, drainTime: 0 },
  });
}

/** What is wrong with the results of one server, a line each. */
type Evaluate = (results: Results, revision: Revision) => Promise<string[]>;

/** What failed or never ran of these scenarios. */
const faultsIn = (results: Results, scenarios: readonly string[], unless: readonly string[] = []): string[] => [
  ...scenarios.filter((scenario) => !results.has(scenario)).map((scenario) => `${scenario}: did not run`),
  ...failuresIn(results)
    .filter(({ scenario, check }) => scenarios.includes(scenario) && !unless.includes(check))
    .map(({ scenario, check, said }) => `${scenario}: ${check}: ${said}`),
];

const evaluateProgram: Evaluate = async (results, revision) =>
  faultsIn(results, [...neutral[revision], ...extensions[revision]], checksNeedingFixtures);

const evaluateFixtures: Evaluate = async (results, revision) =>
  faultsIn(results, [...(await requiredBy(revision)), ...alsoPassed.filter((scenario) => results.has(scenario))]);

/** @param more scenarios beside those that each revision requires. */
async function checkServer(
  name: string,
  start: () => Promise<Subject>,
  judge: Evaluate,
  more?: typeof extensions,
): Promise<number> {
  const subject = await start();
  let faults = 0;
  try {
    for (const revision of revisions) {
      // One after the other: the suite counts streams.
      const results = await conformanceOf(subject.url, revision, more?.[revision]);
      const found = await judge(results, revision);
      const checks = [...results.values()].flat().filter(({ status }) => status === 'SUCCESS').length;
      console.log(
        `${found.length === 0 ? 'ok' : 'NOT OK'}: ${name}, ${revision}: ${results.size} scenarios run, ${checks} checks passed, ${found.length} unexpected failures`,
      );
      for (const fault of found) console.log(`  ${fault}`);
      faults += found.length;
    }
  } finally {
    await subject.close();
  }
  return faults;
}

const faults =
  (await checkServer('the program', startProgram, evaluateProgram, extensions)) +
  (await checkServer('the HTTP host with fixtures', startFixtures, evaluateFixtures));
process.exitCode = faults === 0 ? 0 : 1;
