import { vi } from 'vitest';
import { createParser, withCommand } from '../../src/cli/commands/cli.ts';
import { reportError } from '../../src/cli/terminal/lines.ts';
import type { ProgramResult } from './started-program.ts';

/** Runs a command line in this process as the program does, and returns what it prints and its exit code. */
export async function runCommand(args: readonly string[]): Promise<Pick<ProgramResult, 'code' | 'stdout' | 'stderr'>> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      written[stream] += String(text);
      return true;
    }),
  );
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await createParser()
      .parseAsync(withCommand(args), { from: 'user' })
      .catch((error: unknown) => {
        reportError(error);
        process.exitCode = 1;
      });
    return { code: process.exitCode, ...written };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}
