/**
 * Runs the docker suite in namespaces of its own, two files of it at a time: engines, registries and tests share one
 * loopback, reach nothing else and collide with nothing on this machine. When the suite ends, however it ends, the
 * kernel ends every process in it and drops its networks and mounts. Arguments are those of vitest. With `--script
 * <path>` first, that script of the repository runs there in place of the suite, with the arguments after it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { inOwnNamespaces } from '../support/docker/own-namespaces.ts';
import { packagesByProgram } from '../support/docker/debian-packages.ts';
import { hideEngineSettings, mountCgroups, removeCgroups } from '../support/docker/cgroups.ts';
import { countsOf, reportsVariable, sumOf, type TestReport } from '../support/suite-counts.ts';
import { filesOf, isLanding, type List, suiteOfMode } from '../suites.ts';

const root = join(import.meta.dirname, '../..');

/** Why the suite can't run here; undefined if it can. */
function obstacle(): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid?.() !== 0) return 'it needs root, to start engines';
  const missing = Object.entries(packagesByProgram())
    .filter(([program]) => !existsSync(program))
    .map(([, name]) => name);
  if (missing.length > 0)
    return `programs are missing. Install them with: apt-get install --no-install-recommends ${missing.join(' ')}`;
  const { status, stderr } = spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', '--', 'true'], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `this user may not make namespaces: ${stderr.trim()}`;
}

/** How a part of the suite ended. */
interface Ended {
  readonly code: number;
  /** What it printed; empty if it went to the terminal at once. */
  readonly output: string;
}

/** The parts that run. */
const apart = new Set<ChildProcess>();
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopping.abort();
    for (const child of apart) child.kill('SIGKILL');
  });
}

/**
 * Starts this script again in namespaces of its own. Temporary files of the suite are in one directory.
 * @param stdio `pipe` keeps what it prints
 */
async function runApart(args: readonly string[], stdio: 'inherit' | 'pipe'): Promise<Ended> {
  const directory = await mkdtemp(join(tmpdir(), 'infra-mcp-docker-'));
  try {
    // Each file has a report of its own: what a run of several suites reads is put together from them.
    // The shell is the first process of the namespace, and takes care of processes that lost their parents.
    const child = spawn(
      'unshare',
      [
        '--mount',
        '--net',
        '--pid',
        '--fork',
        '--mount-proc',
        '--kill-child',
        '--',
        'sh',
        '-c',
        '"$@"; exit $?',
        'sh',
        process.execPath,
        '--import',
        import.meta.resolve('tsx'),
        import.meta.filename,
        ...args,
      ],
      {
        cwd: root,
        stdio: ['ignore', stdio, stdio],
        env: { ...process.env, TMPDIR: directory, [inOwnNamespaces]: directory, [reportsVariable]: undefined },
      },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    apart.add(child);
    const [code] = (await once(child, 'close')) as [number | null];
    apart.delete(child);
    return { code: code ?? 1, output };
  } finally {
    await removeCgroups(directory);
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** How many files run at once, each in namespaces of its own: most of its time a file waits for engines. */
const lanes = 2;

/** Where a report of vitest is written to. */
const reportTo = (path: string): string[] => ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];

/** What a report says; undefined if nothing could be run. */
const readReport = async (path: string): Promise<TestReport | undefined> => {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as TestReport);
};

/** How a test file ended. */
interface EndedFile {
  readonly file: string;
  readonly code: number;
  readonly report: TestReport | undefined;
}

/** Runs one file, and shows what it printed when it has ended. */
async function runFile(file: string, reports: string): Promise<EndedFile> {
  const path = join(reports, `${file.replaceAll('/', '-')}.json`);
  const { code, output } = await runApart([file, ...reportTo(path)], 'pipe');
  process.stdout.write(output);
  return { file, code, report: await readReport(path) };
}

/** The files that take longest. They begin first, so that none of them is left for the end. */
const longest = [
  'soak',
  'failing-hosts',
  'killed-engine',
  'database-backups',
  'node-placement',
  'agents',
  'killed-jobs',
  'terraform',
  'killed-builds',
  'databases',
  'jobs',
  'rollouts-and-nodes',
].map((name) => `test/docker/${name}.test.ts`);

/** The test files of a list, those first that take longest. */
function filesOfSuite(list: List): readonly string[] {
  const { include, exclude } = filesOf(suiteOfMode('docker'), list);
  const files = globSync([...include], { cwd: root })
    .filter((file) => !exclude.some((pattern) => matchesGlob(file, pattern)))
    .toSorted();
  return [...longest.filter((file) => files.includes(file)), ...files.filter((file) => !longest.includes(file))];
}

/** Runs files in lanes: each takes the next one when it has ended another. */
async function runInLanes(files: readonly string[], reports: string): Promise<EndedFile[]> {
  const waiting = [...files];
  const ended: EndedFile[] = [];
  const lane = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined && !stopping.signal.aborted; file = waiting.shift())
      ended.push(await runFile(file, reports));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return ended;
}

/** What stands for the report of a file that left none. */
const unreported = (file: string): TestReport => ({
  numPassedTests: 0,
  numFailedTests: 0,
  testResults: [{ name: join(root, file), status: 'failed', message: 'It left no report.', assertionResults: [] }],
});

/** Says how many tests ran in all, and leaves that for a run of several suites. */
async function tellCounts(ended: readonly EndedFile[]): Promise<void> {
  const all = ended.map(({ file, report }) => report ?? unreported(file));
  const { passed, failed } = sumOf(all.map(countsOf));
  console.log(`The docker suite: ${ended.length} files, ${passed} tests passed, ${failed} failed.`);
  const reports = process.env[reportsVariable];
  if (reports !== undefined)
    await writeFile(
      join(reports, 'docker.json'),
      JSON.stringify({
        numPassedTests: all.reduce((sum, { numPassedTests }) => sum + numPassedTests, 0),
        numFailedTests: all.reduce((sum, { numFailedTests }) => sum + numFailedTests, 0),
        testResults: all.flatMap(({ testResults }) => testResults),
      } satisfies TestReport),
    );
}

/** Runs the suite, or vitest with the given arguments. @returns the exit code */
async function runSuite(args: readonly string[]): Promise<number> {
  if (args.length > 0) return (await runApart(args, 'inherit')).code;
  const files = filesOfSuite(isLanding ? 'landing' : 'full');
  if (files.length === 0) throw new Error('There is no test file to run.');
  const reports = await mkdtemp(join(tmpdir(), 'infra-mcp-reports-'));
  try {
    const ended = await runInLanes(files, reports);
    await tellCounts(ended);
    return Math.max(...ended.map(({ code }) => code));
  } finally {
    await rm(reports, { recursive: true, force: true });
  }
}

/** The arguments of Node for what runs in the namespaces. */
const programOf = (args: readonly string[]): readonly string[] => {
  const [option, script, ...rest] = args;
  if (option === '--script' && script !== undefined)
    return ['--import', import.meta.resolve('tsx'), join(root, script), ...rest];
  return [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--mode', 'docker', ...args];
};

/** Prepares the namespaces, and runs vitest or a script in them. @returns its exit code */
async function runProgram(args: readonly string[]): Promise<number> {
  spawnSync('ip', ['link', 'set', 'lo', 'up'], { stdio: 'inherit' });
  mountCgroups();
  hideEngineSettings();
  const child = spawn(process.execPath, [...programOf(args)], { cwd: root, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

const args = process.argv.slice(2);
const why = process.env[inOwnNamespaces] === undefined ? obstacle() : undefined;
if (why === undefined)
  process.exitCode = await (process.env[inOwnNamespaces] === undefined ? runSuite(args) : runProgram(args));
else {
  console.error(`The docker suite is skipped: ${why}`);
  // A skipped suite would look like one that passed.
  if (process.env['CI']) process.exitCode = 1;
}
