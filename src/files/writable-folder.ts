import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { meanings } from './plain-error.ts';

/** The path itself if it exists, otherwise the nearest folder above it that does. */
export const nearestExisting = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));

/**
 * Writes in a folder, or where it would be created, and removes what it wrote. Permissions alone don't tell whether that
 * works: root has them on a read-only file system, too.
 * @throws Error of the file system that says why it doesn't work
 */
export function tryWriting(path: string): void {
  const draft = mkdtempSync(join(nearestExisting(path), '.infra-mcp-'));
  try {
    writeFileSync(join(draft, 'test'), 'test');
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ...meanings,
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  ENOENT: 'nothing can be created there',
  ENOTDIR: 'a file is in its place',
  EEXIST: 'a file is in its place',
};

/** Why a file system doesn't write, from its error: the code, and what it means. */
export function unwritableBecause(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return Object.hasOwn(reasons, code) ? `${code}: ${reasons[code]}` : message;
}
