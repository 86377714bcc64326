import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { triedAt, type ForeignClient } from './clients.ts';

const programs = join(import.meta.dirname, 'programs');

/** The name and version of a client's own package, such as `mcporter@0.12.3`. */
export const packageOf = ({ packages }: ForeignClient): string => Object.entries(packages)[0]!.join('@');

/**
 * Installs a client from the package registry, with the programs beside it: what those import is found there.
 * @param parent a directory that exists.
 * @returns the directory of the installation.
 * @throws Error with what npm said, if it fails.
 */
async function install(client: ForeignClient, parent: string): Promise<string> {
  const folder = join(parent, packageOf(client).replaceAll('/', '-'));
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
  await cp(programs, folder, { recursive: true });
  const wanted = Object.entries(client.packages).map(([name, version]) => `${name}@${version}`);
  // The scripts of strangers' packages are not run.
  await promisify(execFile)(
    'npm',
    [
      'install',
      '--prefix',
      folder,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--save-exact',
      '--before',
      triedAt,
      ...wanted,
    ],
    { cwd: folder },
  );
  return folder;
}

/** Installs each client once, when it is first asked for. */
export function installer(parent: string): (client: ForeignClient) => Promise<string> {
  const installed = new Map<ForeignClient, Promise<string>>();
  return (client) => {
    const folder = installed.get(client) ?? install(client, parent);
    installed.set(client, folder);
    return folder;
  };
}
