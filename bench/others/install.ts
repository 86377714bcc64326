import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { OtherServer } from '../measurement.ts';
import type { PublicServer } from './public-servers.ts';

const run = promisify(execFile);

/** The file that a package starts its program with: its only one, or the first of them. */
async function programOf(folder: string): Promise<string> {
  const { bin } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    readonly bin?: string | Readonly<Record<string, string>>;
  };
  const file = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0];
  if (file === undefined) throw new Error(`the package in ${folder} has no program`);
  return join(folder, file);
}

/**
 * Installs a server into a folder of its own, without running the scripts of its packages.
 * @throws Error if npm can't install it, or it has no program.
 */
export async function installed(server: PublicServer, directory: string): Promise<OtherServer> {
  const home = join(directory, server.package.replace('/', '+'));
  await mkdir(home, { recursive: true });
  const name = `${server.package} ${server.version}`;
  const options = ['--prefix', home, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
  await run('npm', ['install', ...options, `${server.package}@${server.version}`]);
  const program = await programOf(join(home, 'node_modules', server.package));
  return { name, command: process.execPath, args: [program, ...(server.args ?? [])] };
}
