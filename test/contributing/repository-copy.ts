import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { copyCheckout } from '../support/checkout-files.ts';

const root = join(import.meta.dirname, '../..');

/** What a command came to. */
export interface CommandResult {
  readonly code: number | null;
  /** What it wrote, to stdout and stderr. */
  readonly output: string;
}

/** A copy of the repository that can be changed and run. */
export interface RepositoryCopy {
  exists(path: string): boolean;
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
  /**
   * Runs lines of a shell in the copy, up to the first that fails. When the signal comes, they and what they started
   * are ended.
   */
  run(lines: string, signal: AbortSignal): Promise<CommandResult>;
  remove(): Promise<void>;
}

async function copyTo(directory: string): Promise<void> {
  await copyCheckout(directory);
  // A directory of links, not a link: what tools cache in node_modules stays in the copy.
  const modules = join(root, 'node_modules');
  await mkdir(join(directory, 'node_modules'));
  const packages = (await readdir(modules)).filter((name) => name === '.bin' || !name.startsWith('.'));
  await Promise.all(packages.map((name) => symlink(join(modules, name), join(directory, 'node_modules', name))));
}

/**
 * Variables by which vitest, and a run of several suites, tell what they run that it is being tested, and our own
 * options.
 */
const ofThisTest = /^(?:VITEST.*|TEST|TEST_.*|NODE_ENV|MODE|DEV|PROD|SSR|BASE_URL|INFRA_.*)$/;

/** This process's environment as a shell would have it, with the home and temporary directories in `directory`. */
const shellEnvironment = (directory: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !ofThisTest.test(name) && !name.startsWith('XDG_')),
  ),
  HOME: directory,
  TMPDIR: directory,
  CI: 'true',
});

/** Copies the repository into a temporary directory, with what is changed in it and not yet committed. */
export async function copyRepository(): Promise<RepositoryCopy> {
  const scratch = await mkdtemp(join(tmpdir(), 'infra-mcp-contributing-'));
  const remove = () => rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  const [checkout, home] = [join(scratch, 'infra-mcp'), join(scratch, 'home')];
  await mkdir(home);
  await copyTo(checkout);
  return {
    exists: (path) => existsSync(join(checkout, path)),
    read: (path) => readFile(join(checkout, path), 'utf8'),
    write: async (path, text) => {
      await mkdir(dirname(join(checkout, path)), { recursive: true });
      await writeFile(join(checkout, path), text);
    },
    run: async (lines, signal) => {
      const child = spawn('bash', ['-euxo', 'pipefail', '-c', lines], {
        cwd: checkout,
        env: shellEnvironment(home),
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
      const end = () => process.kill(-child.pid!, 'SIGKILL');
      signal.addEventListener('abort', end);
      const [code] = (await once(child, 'close')) as [number | null];
      signal.removeEventListener('abort', end);
      return { code, output };
    },
    remove,
  };
}
