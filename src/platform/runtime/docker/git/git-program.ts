import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** A run of git. */
export interface GitRun {
  readonly args: readonly string[];
  /** The working directory: a bare repository of the platform. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Git failed. */
export class GitError extends Error {
  override readonly name = 'GitError';
  /** The error output of git and the server, by line. */
  readonly said: readonly string[];

  constructor(said: readonly string[]) {
    super(said.findLast((line) => /^(?:fatal|error):/.test(line)) ?? said.at(-1) ?? 'git failed and gave no reason');
    this.said = said;
  }
}

/** The maximum size of git's error output and of its standard output, in bytes. */
const mostSaid = 64 * 1024;
const mostReturned = 8 * 1024 * 1024;

type Started = ChildProcessByStdio<null, Readable, Readable>;

/** Kills git with the programs that it started: they are one process group. */
const end = ({ pid }: Started): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // They have just exited.
  }
};

/** Progress output contains carriage returns as line ends. */
const linesOf = (text: string): string[] =>
  text
    .split(/[\r\n]+/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');

function start({ args, directory, environment, signal }: GitRun): {
  readonly child: Started;
  readonly ended: Promise<void>;
} {
  signal.throwIfAborted();
  // In its own process group, because a signal to git alone would not reach the program that talks to the server.
  const child = spawn('git', args, {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < mostSaid) said += text;
  });
  const stop = (): void => end(child);
  signal.addEventListener('abort', stop, { once: true });
  const close = async (): Promise<void> => {
    try {
      const [code] = (await once(child, 'close')) as [number | null];
      signal.throwIfAborted();
      if (code !== 0) throw new GitError(linesOf(said));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        throw new Error('The program git is missing on the machine of the platform: install it there.', {
          cause: error,
        });
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
  return { child, ended: close() };
}

/**
 * Runs git to its end. No shell is involved.
 * @returns what it wrote to its standard output
 * @throws GitError, or the reason of the signal
 */
export async function runGit(run: GitRun): Promise<string> {
  const { child, ended } = start(run);
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= mostReturned) chunks.push(chunk);
    else end(child);
  });
  await ended;
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Runs git and yields its output as it arrives. Returning early kills it.
 * @throws GitError, or the reason of the signal
 */
export async function* streamGit(run: GitRun): AsyncGenerator<Buffer, void> {
  const { child, ended } = start(run);
  // Awaited below; a failure before that must not count as unhandled.
  ended.catch(() => undefined);
  try {
    yield* child.stdout as AsyncIterable<Buffer>;
    await ended;
  } finally {
    end(child);
  }
}
