import { posix } from 'node:path';
import { hasInvisible } from '../../contract/index.ts';

/**
 * A path in a repository without `.` parts and without slashes at its ends; empty for the repository's root.
 * @returns undefined if it is outside of the repository, or can't be a path in one
 */
export function sourcePath(path: string): string | undefined {
  if (/[\0\n\r]/.test(path)) return undefined;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') ? undefined : posix.join(...parts).replace(/^\.$/, '');
}

/**
 * Matches what no branch name may contain, by git's own rules: it would mean another place, or several branches. A name
 * with invisible characters, which git allows, would look like another one where a user confirms it.
 */
const notInBranches = /[\s\p{Cc}~^:?*[\\]|\.\.|@\{|\/\/|\/\.|^[-./]|[./]$|\.lock(?:\/|$)/u;

/** Whether a text can be the name of a branch. */
export const isBranchName = (name: string): boolean => name !== '' && !notInBranches.test(name) && !hasInvisible(name);
