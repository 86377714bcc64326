import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, closeSync, fdatasync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/** Where the lines of a log go. */
export interface Sink {
  /**
   * Takes lines, without the last line break, and returns when they are there; durable ones survive a loss of power.
   * Never asked again before it returned.
   * @throws Error when they could not be taken.
   */
  append(lines: string, durable: boolean): Promise<void>;
  close(): Promise<void>;
}

const lineBreak = 0x0a;

const syncData = promisify(fdatasync);

/** Whether the file ends within a line, as after a process that died while it wrote. */
function endsWithinLine(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] !== lineBreak;
}

/** The file of a log, with its folder made where there is none. */
function openLog(path: string): number {
  try {
    return openSync(path, 'a+', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, 'a+', 0o600);
  }
}

/**
 * Appends to a file of mode 0600, opened anew for each writing: a file that was moved away or deleted is begun again,
 * not written to unseen. Only the wait for the disk is left to the thread pool: each way there takes longer than a write.
 */
export function fileSink(path: string): Sink {
  return {
    append: async (lines, durable) => {
      const file = openLog(path);
      try {
        appendFileSync(file, `${endsWithinLine(file) ? '\n' : ''}${lines}\n`);
        if (durable) await syncData(file);
      } finally {
        closeSync(file);
      }
    },
    close: async () => {},
  };
}

const waitForExit = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('close', () => resolve());
    child.stdin!.end();
  });

/**
 * Writes to the standard input of a command, which is started with the first line, never through a shell. A line
 * counts as taken once the command's pipe has it. A command that ended is started again for the next line.
 * @param argv the command and its arguments.
 */
export function commandSink(argv: readonly string[]): Sink {
  const [command = '', ...args] = argv;
  let child: ChildProcess | undefined;

  const start = (): ChildProcess => {
    const started = spawn(command, args, { stdio: ['pipe', 'ignore', 'inherit'], windowsHide: true });
    const gone = (): void => {
      if (child === started) child = undefined;
    };
    started.once('error', gone).once('exit', gone);
    // Faults of the pipe are reported by the write that meets them.
    started.stdin.on('error', () => {});
    return started;
  };

  return {
    append: async (lines) => {
      const running = (child ??= start());
      await new Promise<void>((resolve, reject) => {
        const failed = (error: Error): void => reject(new Error(`the audit command ${command} could not take a record: ${error.message}`));
        running.once('error', failed);
        running.stdin!.write(`${lines}\n`, (error) => {
          running.removeListener('error', failed);
          if (error) failed(error);
          else resolve();
        });
      });
    },
    close: async () => {
      if (child) await waitForExit(child);
    },
  };
}
