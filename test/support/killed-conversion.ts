import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/**
 * Opens a file of an earlier program in a process that kills itself at the first statement that begins with a text.
 * @returns whether it came to that
 */
export async function isKilledAt(kind: 'guard' | 'platform', path: string, statement: string): Promise<boolean> {
  const program = fileURLToPath(new URL('./converting-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program, kind, path, statement], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect([code, signal]).toEqual(signal === null ? [0, null] : [null, 'SIGKILL']);
  return signal !== null;
}
