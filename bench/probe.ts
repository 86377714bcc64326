import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BundledProgram } from './program.ts';

const flags = ['--expose-gc', '--import', join(import.meta.dirname, 'probe.mjs')];

/** The program with a probe, which tells what its process uses. It must be started with an IPC channel. */
export const withProbe = (program: BundledProgram): BundledProgram => ({
  ...program,
  command: [program.command[0], ...flags, ...program.command.slice(1)],
});

async function asked(child: ChildProcess, what: 'heap' | 'cpu'): Promise<number> {
  const answered = once(child, 'message') as Promise<[number]>;
  child.send(what);
  const [answer] = await answered;
  return answer;
}

/** The used heap of a process with a probe after garbage collection, in MB. */
export const heapUsed = async (child: ChildProcess): Promise<number> => (await asked(child, 'heap')) / 2 ** 20;

/** The CPU time of all threads of a process with a probe since it began, in milliseconds. */
export const cpuTime = (child: ChildProcess): Promise<number> => asked(child, 'cpu');
