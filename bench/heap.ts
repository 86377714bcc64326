import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Program } from './program.ts';

const flags = ['--expose-gc', '--import', join(import.meta.dirname, 'heap-probe.mjs')];

/** The program, so that its heap can be looked at. It has to be started with a channel to it. */
export const probed = (program: Program): Program => ({ ...program, command: [program.command[0], ...flags, ...program.command.slice(1)] });

/** What the heap of such a process holds after a collection, in MB. */
export async function heapOf(child: ChildProcess): Promise<number> {
  const answered = once(child, 'message') as Promise<[number]>;
  child.send('heap');
  const [size] = await answered;
  return size / 2 ** 20;
}
