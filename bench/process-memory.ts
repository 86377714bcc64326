import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Resident memory of a process in MB, as reported by `ps`. */
export async function residentMemory(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1024;
}

/** Resident memory of an idle process in MB, once it no longer changes. */
export async function settledMemory(pid: number): Promise<number> {
  let [before, now] = [0, await residentMemory(pid)];
  while (now !== before) {
    await pause(200);
    [before, now] = [now, await residentMemory(pid)];
  }
  return now;
}
