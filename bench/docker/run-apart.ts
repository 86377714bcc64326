import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * Runs a script of the repository in the namespaces of the docker tests, where engines collide with nothing on this
 * machine.
 * @param script its path from the root.
 * @returns its exit code
 */
export async function runApart(script: string, args: readonly string[]): Promise<number> {
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), join(root, 'test/docker/run.ts'), '--script', script, ...args],
    { cwd: root, stdio: 'inherit' },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
