import { posix } from 'node:path';
import { hasInvisible } from '../../../../contract/index.ts';

/**
 * A path in a repository without dots and slashes at its ends; empty for the repository itself.
 * @returns undefined if it leads outside, or is nothing that a repository can hold
 */
export function sourcePath(path: string): string | undefined {
  if (/[\0\n\r]/.test(path)) return undefined;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') ? undefined : posix.join(...parts).replace(/^\.$/, '');
}

/**
 * What no name of a branch has, by git's own rules: it would mean another place, or several branches. One with
 * invisible characters, which git takes, would look like another one wherever somebody agrees to it.
 */
const notInBranches = /[\s\p{Cc}~^:?*[\\]|\.\.|@\{|\/\/|\/\.|^[-./]|[./]$|\.lock(?:\/|$)/u;

/** Whether a text can be the name of a branch. */
export const isBranchName = (name: string): boolean => name !== '' && !notInBranches.test(name) && !hasInvisible(name);
