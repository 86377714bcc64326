import { randomUUID } from 'node:crypto';
import { chmod, readFile, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { decodedText } from '../../contract/index.ts';
import { makeFolder } from '../../files/index.ts';

const byteOrderMark = '\uFEFF';

/** A configuration file and its content. */
export interface ConfigFile {
  /** The path that the assistant reads. */
  readonly path: string;
  /** The target of the path, if it is a symbolic link. */
  readonly real: string;
  /** Undefined if there is no file. */
  readonly text: string | undefined;
  /** Permissions of the file, or those of a new one. */
  readonly mode: number;
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The target of a path. A symbolic link may point to a file that doesn't exist yet. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const target = await readlink(path).catch(() => undefined);
    return target === undefined ? path : resolve(dirname(path), target);
  }
}

/** Reads a configuration file. @throws Error if it isn't a file in UTF-8. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const real = await realPathOf(path);
  try {
    const { mode } = await stat(real);
    const bytes = await readFile(real);
    // The mark stays in the text, and so in the file.
    const text = `${splitMark(bytes.toString('utf8'))[0]}${decodedText(bytes)}`;
    if (!Buffer.from(text).equals(bytes)) throw new Error('it is not text in UTF-8');
    return { path, real, text, mode: mode & 0o777 };
  } catch (error) {
    if (isMissing(error)) return { path, real, text: undefined, mode: 0o600 };
    throw error;
  }
}

/** The text without a byte order mark, and the mark. */
export const splitMark = (text: string): readonly [mark: string, text: string] =>
  text.startsWith(byteOrderMark) ? [byteOrderMark, text.slice(1)] : ['', text];

/** Replaces a file atomically. */
async function writeAtomically(path: string, text: string, mode: number): Promise<void> {
  makeFolder(dirname(path));
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode, flag: 'wx' });
    // The process's umask may have removed permissions.
    await chmod(draft, mode);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Path of the backup of a file. */
export const backupOf = ({ real }: ConfigFile): string => `${real}.before-infra-mcp`;

/** The backup's text; undefined if there is none. */
export async function readBackup(file: ConfigFile): Promise<string | undefined> {
  return readFile(backupOf(file), 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}

/** A change of a file. */
export interface FileChange {
  readonly file: ConfigFile;
  /** Its new text; undefined removes it. */
  readonly after: string | undefined;
  /** Whether the backup is written with the present text, kept, or removed. */
  readonly backup: 'write' | 'keep' | 'remove';
}

/** Carries out a change. @throws Error if the file has changed since it was read; then nothing is written. */
export async function writeChange({ file, after, backup }: FileChange): Promise<void> {
  const { path, real, text, mode } = file;
  if ((await readConfigFile(path)).text !== text)
    throw new Error(`${path} was changed meanwhile, so nothing was written to it. Run this again.`);
  if (backup === 'write' && text !== undefined) await writeAtomically(backupOf(file), text, mode);
  if (after === undefined) await rm(real);
  else await writeAtomically(real, after, mode);
  if (backup === 'remove') await rm(backupOf(file), { force: true });
}
