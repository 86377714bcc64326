/**
 * Runs a list of suites: `landing` (what .ci/run runs) or `full` (.ci/full). Installs Debian packages that its suites
 * lack, as root. Two suites run at once, because each waits at times, and what they print is shown when they have
 * ended. The last line says how many tests passed and failed; a step that isn't made of tests counts as one. When the
 * check or the fast tests fail, nothing else is begun; otherwise all suites run, and every failure shows.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { buildProgram, programDirectoryVariable } from '../test/support/build-once.ts';
import { missingPackages } from '../test/support/debian-packages.ts';
import {
  type Counts,
  countsOf,
  countsOfStep,
  reportsVariable,
  sumOf,
  type TestReport,
} from '../test/support/suite-counts.ts';
import { type List, lists, listVariable, type Suite, suitesIn } from '../test/suites.ts';

const root = join(import.meta.dirname, '..');

/** How a suite ended. */
interface Ended extends Counts {
  readonly name: string;
  readonly seconds: number;
}

const running = new Set<ChildProcess>();

/** Ends what still runs, with everything that it started. */
function abandon(): void {
  for (const child of running) process.kill(-child.pid!, 'SIGTERM');
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    abandon();
    process.exit(1);
  });
}

/**
 * Installs what isn't there. Packages of servers would start them, on ports of this machine, so that is forbidden
 * meanwhile.
 * @throws Error with what apt said
 */
async function installPackages(packages: readonly string[]): Promise<void> {
  if (packages.length === 0) return;
  if (process.getuid?.() !== 0)
    throw new Error(
      `Packages are missing, and only root may install them: apt-get install --no-install-recommends ${packages.join(' ')}`,
    );
  const policy = '/usr/sbin/policy-rc.d';
  const isOurs = !existsSync(policy);
  if (isOurs) await writeFile(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    for (const args of [
      ['update', '-qq'],
      ['install', '-qq', '--no-install-recommends', ...packages],
    ]) {
      const { status, stdout, stderr } = spawnSync('apt-get', args, {
        encoding: 'utf8',
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
        stdio: ['ignore', 'pipe', 'pipe'],
        maxBuffer: 64 * 1024 * 1024,
      });
      if (status !== 0) throw new Error(`apt-get ${args.join(' ')} failed:\n${stdout}${stderr}`);
    }
  } finally {
    if (isOurs) await rm(policy);
  }
}

/** What a suite counted; a suite without a report is one step. */
async function countsIn(reports: string, { name }: Suite, code: number): Promise<Counts> {
  const text = await readFile(join(reports, `${name}.json`), 'utf8').catch(() => undefined);
  if (text === undefined) return countsOfStep(code === 0);
  const counts = countsOf(JSON.parse(text) as TestReport);
  // It can fail outside of tests, by an error that nothing caught.
  return code === 0 ? counts : { ...counts, failed: Math.max(counts.failed, 1) };
}

/** How many suites run at once. */
const lanes = 2;

/** Runs one suite, and shows what it prints when it has ended. */
async function runSuite(suite: Suite, env: NodeJS.ProcessEnv, reports: string): Promise<Ended> {
  const began = Date.now();
  const child = spawn('npm', ['run', suite.script], {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  running.delete(child);
  process.stdout.write(Buffer.concat(output));
  const counts = await countsIn(reports, suite, code ?? 1);
  return { name: suite.name, seconds: Math.round((Date.now() - began) / 1000), ...counts };
}

/** Runs suites, so many at once, each as soon as one before it has ended. */
async function runEach(
  suites: readonly Suite[],
  atOnce: number,
  env: NodeJS.ProcessEnv,
  reports: string,
): Promise<Ended[]> {
  const waiting = [...suites];
  const ended: Ended[] = [];
  const lane = async (): Promise<void> => {
    for (let suite = waiting.shift(); suite !== undefined; suite = waiting.shift())
      ended.push(await runSuite(suite, env, reports));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return ended;
}

/**
 * Runs a list, in a directory for what it makes.
 * @returns how its suites ended; those that weren't begun are missing
 */
async function runList(list: List, scratch: string): Promise<Ended[]> {
  const suites = suitesIn(list);
  const env = { ...process.env, CI: 'true', [listVariable]: list, [reportsVariable]: scratch };
  const first = suites.filter(({ name }) => name === 'check' || name === 'fast');
  const firstEnded = await runEach(first, 1, env, scratch);
  if (firstEnded.some(({ failed }) => failed > 0)) return firstEnded;
  const program = await buildProgram();
  try {
    const withProgram = { ...env, [programDirectoryVariable]: program.directory };
    // The longest first: none of them is left over at the end.
    const minutesOf = ({ minutes }: Suite): number => minutes?.[list] ?? minutes?.landing ?? 0;
    const others = suites.filter((suite) => !first.includes(suite)).toSorted((a, b) => minutesOf(b) - minutesOf(a));
    return [...firstEnded, ...(await runEach(others, lanes, withProgram, scratch))];
  } finally {
    await program.remove();
  }
}

/** The first lines of a failure's message, which tell what was expected. */
const startOf = (message: string): string =>
  message
    .split('\n')
    .slice(0, 12)
    .map((line) => line.slice(0, 300))
    .join('\n');

const list = lists.find((name) => name === process.argv[2]);
if (list === undefined) throw new Error(`Say which list: ${lists.join(' or ')}.`);
const scratch = await mkdtemp(join(tmpdir(), 'infra-mcp-ci-'));
try {
  await installPackages(missingPackages(suitesIn(list).flatMap(({ needs = [] }) => needs)));
  const ended = await runList(list, scratch);
  for (const { name, seconds, passed, failed, skipped } of ended)
    console.log(
      `${failed === 0 ? 'ok' : 'NOT OK'}: ${name}: ${passed} passed, ${failed} failed, ${skipped.length} skipped, ${seconds} s`,
    );
  const { passed, failed, failures, skipped } = sumOf(ended);
  // The landing list makes fewer cases; what the full list skips, nothing tries.
  if (list === 'full') for (const { file, test } of skipped) console.log(`skipped: ${relative(root, file)} > ${test}`);
  // Once more at the end: whoever reads a long output reads its end.
  for (const { file, test, message } of failures)
    console.log(`\nFAILED ${relative(root, file)}${test === undefined ? '' : ` > ${test}`}\n${startOf(message)}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}
