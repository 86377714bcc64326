import { execFile } from 'node:child_process';
import { cp, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  endWithThisProcess,
  pidWhileRunning,
  removeTemporaryDirectory,
  temporaryDirectory,
} from '../scripts/temporary-directory.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

/** The bundled program in a temporary directory, laid out as in the npm package. */
export interface BundledProgram {
  /** The command that starts it, without its own arguments. */
  readonly command: readonly [string, ...string[]];
  /** Creates an empty directory that is removed with the program. */
  readonly directory: (purpose: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Builds the program as published. */
export async function buildProgram(): Promise<BundledProgram> {
  const home = await temporaryDirectory('infra-mcp-bench-');
  const building = run(process.execPath, [
    '--import',
    import.meta.resolve('tsx'),
    join(root, 'scripts/build.ts'),
    '--outdir',
    join(home, 'dist'),
  ]);
  endWithThisProcess(pidWhileRunning(building.child));
  await building;
  await cp(join(root, 'bin'), join(home, 'bin'), { recursive: true });
  return {
    command: [process.execPath, join(home, 'bin/infra-mcp.mjs')],
    directory: (purpose) => mkdtemp(join(home, `${purpose}-`)),
    close: async () => removeTemporaryDirectory(home),
  };
}

/**
 * The environment of a measured process: this process's, without options of the program, and with all its files in one
 * directory.
 */
export const environment = (directory: string, options: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:INFRA|NODE|npm)_/i.test(name))),
  HOME: directory,
  TMPDIR: directory,
  XDG_CACHE_HOME: join(directory, 'cache'),
  XDG_DATA_HOME: join(directory, 'data'),
  INFRA_LOG_LEVEL: 'silent',
  ...options,
});
