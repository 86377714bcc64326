import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** How a program is run. */
export interface CommandLine {
  readonly command: readonly string[];
  readonly env: Record<string, string>;
  readonly cwd?: string;
}

/** A program that serves, until the test ends at the latest. */
export interface Program {
  readonly child: ChildProcess;
  /** What it said when it was ready. */
  readonly ready: { readonly url: string };
  /** Its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

/**
 * Starts a program that prints one line of JSON when it is ready.
 * @throws Error with what it said instead.
 */
export async function startProgram({ command: [program, ...args], env, cwd }: CommandLine): Promise<Program> {
  const child = spawn(program!, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const line = await Promise.race([once(createInterface(child.stdout), 'line'), ended.then(() => undefined)]);
  if (line === undefined) throw new Error(`${[program, ...args].join(' ')} ended before it was ready: ${said}`);
  return { child, ready: JSON.parse(line[0] as string) as { url: string }, ended };
}
