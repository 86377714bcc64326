/** What the codes of a file system mean, for a sentence about a path. */
export const meanings: Readonly<Record<string, string>> = {
  EACCES: 'this user may not do that there',
  EPERM: 'this user may not do that there',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a file is where a folder should be',
  EISDIR: 'it is a folder',
  EEXIST: 'there is something already',
  ENOTEMPTY: 'the folder is not empty',
  ELOOP: 'its links lead in a circle',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
  EDQUOT: "this user's quota is used up",
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this machine',
  ENAMETOOLONG: 'the name is too long',
  EIO: 'the disk failed',
  EBUSY: 'another program uses it',
  ETXTBSY: 'another program uses it',
};

/** What the result codes of SQLite mean, without the details in their upper bits. */
const sqliteMeanings: Readonly<Record<number, string>> = {
  3: 'this user may not open it',
  5: 'another process writes in it',
  6: 'another process writes in it',
  8: 'it is read-only for this user',
  10: 'the disk failed',
  11: 'it is damaged',
  13: 'no space is left',
  14: 'this user can not open it or its folder, or there is none',
  23: 'this user may not open it',
  26: 'it is not a database',
};

interface SystemError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly path?: string;
  readonly dest?: string;
  readonly errcode?: number;
}

/** Why SQLite failed, with its own words for who looks them up; undefined for another error. */
export function sqliteReason(error: unknown): string | undefined {
  const { code, errcode, message } = error as SystemError;
  if (code !== 'ERR_SQLITE_ERROR' || errcode === undefined) return undefined;
  const meaning = sqliteMeanings[errcode & 0xff];
  return meaning === undefined ? message : `${meaning} (SQLite: ${message})`;
}

/**
 * An error of the system in a sentence of this program, with its path and the reason.
 * @returns undefined if it is another error, whose message is for people already
 */
export function plainSystemError(error: unknown): string | undefined {
  const reason = sqliteReason(error);
  if (reason !== undefined) return `A database failed: ${reason}.`;
  if (!(error instanceof Error)) return undefined;
  const { code = '', syscall, path, dest } = error as SystemError;
  // Errors that were made here have a code at most.
  if (syscall === undefined || !Object.hasOwn(meanings, code)) return undefined;
  const place = [path, dest].filter((each) => each !== undefined).join(' or ');
  return `${place === '' ? 'A file' : place} can't be used: ${meanings[code]} (${code}).`;
}
