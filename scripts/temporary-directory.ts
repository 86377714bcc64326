import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

const directories = new Set<string>();
const processes = new Set<() => number | null | undefined>();

const remove = (directory: string): void =>
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });

/** Kills what still runs, because it would write into the directories again, then removes them. */
function cleanUp(): void {
  for (const pidOf of processes) {
    const pid = pidOf();
    try {
      if (pid) process.kill(pid, 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  }
  directories.forEach(remove);
}

let isInstalled = false;

/**
 * Cleans up however the process ends. Signals end it as they would without a handler, with the shell's exit code for
 * them.
 */
function install(): void {
  if (isInstalled) return;
  isInstalled = true;
  process.on('exit', cleanUp);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => process.exit(128 + constants.signals[signal]));
}

/**
 * Creates a temporary directory. It is removed when the process ends, also by a signal.
 * @param prefix the beginning of its name.
 */
export async function temporaryDirectory(prefix: string): Promise<string> {
  install();
  const directory = await mkdtemp(join(tmpdir(), prefix));
  directories.add(directory);
  return directory;
}

/** Removes such a directory at once. */
export function removeTemporaryDirectory(directory: string): void {
  remove(directory);
  directories.delete(directory);
}

/** Kills a process together with this one. @param pidOf the id of the process; nothing once it has ended. */
export function endWithThisProcess(pidOf: () => number | null | undefined): void {
  install();
  processes.add(pidOf);
}

/** The id of a child process that still runs. */
export const pidWhileRunning = (child: ChildProcess) => (): number | undefined =>
  child.exitCode === null && child.signalCode === null ? child.pid : undefined;
