/**
 * Runs the docker suite in namespaces of its own, two parts of it at a time: engines, registries and tests share one loopback, reach nothing else and collide with
 * nothing on this machine. When the suite ends, however it ends, the kernel ends every process in it and drops its networks and mounts.
 * Arguments are those of vitest. With `--script <path>` first, that script of the repository runs there in place of the suite, with the arguments after it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { inOwnNamespaces } from '../support/docker/own-namespaces.ts';
import { packagesByProgram } from '../support/docker/debian-packages.ts';
import { hideEngineSettings, mountCgroups, removeCgroups } from '../support/docker/cgroups.ts';

const root = join(import.meta.dirname, '../..');

/** Why the suite can't run here; undefined if it can. */
function obstacle(): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid?.() !== 0) return 'it needs root, to start engines';
  const missing = Object.entries(packagesByProgram()).filter(([program]) => !existsSync(program)).map(([, name]) => name);
  if (missing.length > 0) return `programs are missing. Install them with: apt-get install --no-install-recommends ${missing.join(' ')}`;
  const { status, stderr } = spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', '--', 'true'], { encoding: 'utf8' });
  return status === 0 ? undefined : `this user may not make namespaces: ${stderr.trim()}`;
}

/** How a part of the suite ended. */
interface Ended {
  readonly code: number;
  /** What it printed; empty if it went to the terminal at once. */
  readonly output: string;
}

/**
 * Starts this script again in namespaces of its own. Temporary files of the suite are in one directory.
 * @param stdio `pipe` keeps what it prints
 */
async function runApart(args: readonly string[], stdio: 'inherit' | 'pipe'): Promise<Ended> {
  const directory = await mkdtemp(join(tmpdir(), 'infra-mcp-docker-'));
  try {
    // The shell is the first process of the namespace, and takes care of processes that lost their parents.
    const child = spawn('unshare', [
      '--mount', '--net', '--pid', '--fork', '--mount-proc', '--kill-child', '--', 'sh', '-c', '"$@"; exit $?', 'sh',
      process.execPath, '--import', import.meta.resolve('tsx'), import.meta.filename, ...args,
    ], { cwd: root, stdio: ['ignore', stdio, stdio], env: { ...process.env, TMPDIR: directory, [inOwnNamespaces]: directory } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void child.kill('SIGKILL'));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code: code ?? 1, output };
  } finally {
    await removeCgroups(directory);
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** How many parts of the whole suite run at once: most of its time it waits for engines. */
const parts = 2;

/** The test files that failed, by the report of a run; none if there is no report. */
async function failedFiles(report: string): Promise<string[]> {
  const text = await readFile(report, 'utf8').catch(() => '{"testResults":[]}');
  return (JSON.parse(text) as { testResults: { name: string; status: string }[] }).testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(root, name));
}

/** Runs test files, and tells which failed. @param name of the report */
async function runReported(args: readonly string[], stdio: 'inherit' | 'pipe', reports: string, name: string): Promise<Ended & { readonly failed: readonly string[] }> {
  const report = join(reports, `${name}.json`);
  const ended = await runApart([...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`], stdio);
  return { ...ended, failed: await failedFiles(report) };
}

/**
 * Runs the suite, or the given files of it. Where it runs beside other suites, engines may get too little of the machine for the times that tests give them: there,
 * files that failed run once more when the rest of the suite has ended, and have to pass.
 * @returns the exit code
 */
async function runSuite(args: readonly string[]): Promise<number> {
  if (args[0] === '--script') return (await runApart(args, 'inherit')).code;
  const reports = await mkdtemp(join(tmpdir(), 'infra-mcp-reports-'));
  try {
    const ended = args.length > 0 ? [await runReported(args, 'inherit', reports, 'given')] : await Promise.all(Array.from({ length: parts }, async (_, index) => {
      const part = await runReported([`--shard=${index + 1}/${parts}`], 'pipe', reports, `part-${index}`);
      process.stdout.write(part.output);
      return part;
    }));
    const code = Math.max(...ended.map((each) => each.code));
    // Where a part failed otherwise, such as by an error outside of tests, nothing is to be tried again.
    const isByTests = ended.every((each) => (each.code === 0) === (each.failed.length === 0));
    if (code === 0 || !process.env['CI'] || !isByTests) return code;
    const failed = ended.flatMap((each) => each.failed);
    console.log(`Failed, and run again without the rest of the suite: ${failed.join(', ')}`);
    const again = await runApart(failed, 'inherit');
    console.log(again.code === 0 ? `Passed without the rest of the suite, after they had failed beside it: ${failed.join(', ')}` : 'Failed again.');
    return again.code;
  } finally {
    await rm(reports, { recursive: true, force: true });
  }
}

/** The arguments of Node for what runs in the namespaces. */
const programOf = (args: readonly string[]): readonly string[] => {
  const [option, script, ...rest] = args;
  if (option === '--script' && script !== undefined) return ['--import', import.meta.resolve('tsx'), join(root, script), ...rest];
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
if (why === undefined) process.exitCode = await (process.env[inOwnNamespaces] === undefined ? runSuite(args) : runProgram(args));
else {
  console.error(`The docker suite is skipped: ${why}`);
  // A skipped suite would look like one that passed.
  if (process.env['CI']) process.exitCode = 1;
}
