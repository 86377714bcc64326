import { execFile, type ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BundledProgram } from './program.ts';

const run = promisify(execFile);

/** Resident memory of a process in MB, as the system counts it. */
export async function residentMemory(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1024;
}

/** The same once a process that only starts has come to rest. */
export async function settledMemory(pid: number): Promise<number> {
  let [before, now] = [0, await residentMemory(pid)];
  while (now !== before) {
    await pause(200);
    [before, now] = [now, await residentMemory(pid)];
  }
  return now;
}

const heapProbeFlags = ['--expose-gc', '--import', join(import.meta.dirname, 'heap-probe.mjs')];

/** The program, so that its heap can be looked at. It has to be started with a channel to it. */
export const withHeapProbe = (program: BundledProgram): BundledProgram => ({ ...program, command: [program.command[0], ...heapProbeFlags, ...program.command.slice(1)] });

/** What the heap of such a process holds after a collection, in MB. */
export async function heapUsed(child: ChildProcess): Promise<number> {
  const answered = once(child, 'message') as Promise<[number]>;
  child.send('heap');
  const [size] = await answered;
  return size / 2 ** 20;
}
