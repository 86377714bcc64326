import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { meanings } from './plain-error.ts';

const reasons: Readonly<Record<string, string>> = {
  ...meanings,
  EACCES: 'this user may not read there',
  EPERM: 'this user may not read there',
};

/** A path that can't be examined, so that nobody knows whether something is there. The message has the reason. */
export class UnreadablePath extends Error {
  constructor(path: string, cause: unknown) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    const why = Object.hasOwn(reasons, code) ? `${reasons[code]} (${code})` : message;
    super(`${path} can't be read, because ${why}.`, { cause });
  }
}

/**
 * Examines a path that may be missing. Only ENOENT means that it is: any other error says that nobody could look.
 * @returns undefined if nothing is there
 * @throws UnreadablePath
 */
export function ifThere<Result>(path: string, look: (path: string) => Result): Result | undefined {
  try {
    return look(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new UnreadablePath(path, error);
  }
}

/** Whether something is at a path. @throws UnreadablePath if that can't be known */
export const isThere = (path: string): boolean => ifThere(path, (each) => statSync(each)) !== undefined;

/** The names in a folder; undefined if there is none. @throws UnreadablePath, also if it is a file */
export const namesIn = (folder: string): readonly string[] | undefined =>
  ifThere(folder, (each) => {
    const names = readdirSync(each);
    accessSync(each, constants.X_OK);
    return names;
  });

/** Whether a file that this user may read is at a path. @throws UnreadablePath, also if it is a folder */
export const isReadableFile = (path: string): boolean =>
  ifThere(path, (each) => {
    if (statSync(each).isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
    accessSync(each, constants.R_OK);
    return true;
  }) === true;
