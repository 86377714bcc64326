import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { homedir } from 'node:os';

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Creates a folder, and those above it that are missing, for this user only. One that exists stays as it is.
 *
 * Node's own recursive creation never returns where a file system answers that a folder doesn't exist when it is
 * created, as /proc does.
 * @throws Error of the file system, if it can't be created
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

/** The home folder of the user; the root for a user without one, as a container may have. */
export function homeFolder(): string {
  try {
    return homedir() || '/';
  } catch {
    return '/';
  }
}
