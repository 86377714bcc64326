import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** How a program is run. */
export interface CommandLine {
  readonly command: readonly string[];
  readonly env: Record<string, string>;
  readonly cwd?: string;
}

export interface ProgramResult {
  /** The exit code; null if a signal ended the program. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProgram {
  readonly child: ChildProcessWithoutNullStreams;
  /** The output so far. */
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<ProgramResult>;
}

/** A program that is ready, with the JSON that it printed then. */
export type StartedProgram<Ready = { readonly url: string }> = RunningProgram & { readonly ready: Ready };

/** This process's environment without any option of infra-mcp, and with the given variables. */
export const cleanEnvironment = (variables: Record<string, string> = {}): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name, value]) => !name.startsWith('INFRA_') && value !== undefined) as [
      string,
      string,
    ][],
  ),
  ...variables,
});

/** Spawns a program and collects its output. The caller stops it. */
export function spawnProgram({ command: [program, ...args], env, cwd }: CommandLine): RunningProgram {
  const child = spawn(program!, args, { cwd, env });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }));
  return { child, output, ended };
}

/** The same, killed at the end of the test if it still runs. */
export function spawnInTest(commandLine: CommandLine): RunningProgram {
  const program = spawnProgram(commandLine);
  onTestFinished(async () => {
    program.child.kill('SIGKILL');
    await program.ended;
  });
  return program;
}

/**
 * Waits for the line of JSON that a program prints when it is ready.
 * @throws Error with the program's stderr if it ends before that.
 */
export async function whenReady<Ready = { readonly url: string }>(
  program: RunningProgram,
): Promise<StartedProgram<Ready>> {
  const line = await Promise.race([
    once(createInterface(program.child.stdout), 'line'),
    program.ended.then(() => undefined),
  ]);
  if (line === undefined)
    throw new Error(`${program.child.spawnargs.join(' ')} ended before it was ready: ${program.output.stderr}`);
  return { ...program, ready: JSON.parse(line[0] as string) as Ready };
}

/** Starts a program and waits until it is ready. It is killed at the end of the test if it still runs. */
export const startProgram = <Ready = { readonly url: string }>(
  commandLine: CommandLine,
): Promise<StartedProgram<Ready>> => whenReady<Ready>(spawnInTest(commandLine));
