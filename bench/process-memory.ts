import { execFile, type ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BundledProgram } from './program.ts';

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

const heapProbeFlags = ['--expose-gc', '--import', join(import.meta.dirname, 'heap-probe.mjs')];

/** The program with the heap probe. It must be started with an IPC channel. */
export const withHeapProbe = (program: BundledProgram): BundledProgram => ({
  ...program,
  command: [program.command[0], ...heapProbeFlags, ...program.command.slice(1)],
});

/** The used heap of a process with the heap probe after garbage collection, in MB. */
export async function heapUsed(child: ChildProcess): Promise<number> {
  const answered = once(child, 'message') as Promise<[number]>;
  child.send('heap');
  const [size] = await answered;
  return size / 2 ** 20;
}
