import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, closeSync, fdatasync, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../../files/index.ts';

/** The destination of a log's lines. */
export interface Sink {
  /**
   * Writes lines, without the last line break, and resolves once they are written; durable ones then survive a loss of
   * power. Never called again before it resolves.
   * @throws Error if they can't be written.
   */
  append(lines: string, durable: boolean): Promise<void>;
  close(): Promise<void>;
}

const lineBreak = 0x0a;

const syncData = promisify(fdatasync);

/** Whether the file ends within a line, as after a crash during a write. */
function endsWithinLine(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] !== lineBreak;
}

/** Opens a log file, and creates its folder if it is missing. */
function openLog(path: string): number {
  try {
    return openSync(path, 'a+', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makeFolder(dirname(path));
    return openSync(path, 'a+', 0o600);
  }
}

/**
 * Appends to a file of mode 0600. The file is opened for each write: if it was moved or deleted, it is created again,
 * and no lines go to the old file unnoticed. Only the sync runs in the thread pool: a round trip there takes longer
 * than a write.
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

/**
 * The variables that a command gets: paths of programs, files and certificates, the user, language and time zone. None
 * contains a secret.
 */
const passedVariables: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'PWD',
  'LANG',
  'LANGUAGE',
  'LC_ALL',
  'LC_CTYPE',
  'LC_MESSAGES',
  'LC_TIME',
  'TZ',
  'TZDIR',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  // Without these, Windows starts hardly any program.
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'USERNAME',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
];

/** The environment of a command. @param named further variables that the operator passes to it */
const environmentOf = (named: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    [...passedVariables, ...named].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  );

const waitForExit = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('close', () => resolve());
    child.stdin!.end();
  });

/**
 * Writes to the standard input of a command, which is started with the first line, never through a shell. A line counts
 * as written once it is in the command's pipe. If the command has exited, it is started again for the next line. It
 * gets only some of this process's variables, because the others hold tokens and secrets.
 * @param argv the command and its arguments.
 * @param variables names of further variables that it gets.
 */
export function commandSink(argv: readonly string[], variables: readonly string[] = []): Sink {
  const [command = '', ...args] = argv;
  let child: ChildProcess | undefined;

  const start = (): ChildProcess => {
    const started = spawn(command, args, {
      env: environmentOf(variables),
      stdio: ['pipe', 'ignore', 'inherit'],
      windowsHide: true,
    });
    const exited = (): void => {
      if (child === started) child = undefined;
    };
    started.once('error', exited).once('exit', exited);
    // Errors of the pipe are reported by the write that fails.
    started.stdin.on('error', () => {});
    return started;
  };

  return {
    append: async (lines) => {
      const running = (child ??= start());
      await new Promise<void>((resolve, reject) => {
        const failed = (error: Error): void =>
          reject(new Error(`the audit command ${command} could not take a record: ${error.message}`));
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
