import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { decodedText, unreadableBecause } from '../../contract/index.ts';
import { makeFolder, unwritableBecause } from '../../files/index.ts';

const ownerOnly = 0o600;

/** Loaded when first needed: a start only reads such files. */
const crypto = () => process.getBuiltinModule('node:crypto');

/** Reads a file and trims its text; undefined if there is no such file. @throws Utf16Text if it is in UTF-16. */
export async function readTextFile(path: string): Promise<string | undefined> {
  try {
    return decodedText(await readFile(path)).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a temporary file next to the target, calls `place` to move it there, and removes it if it is still there. */
async function withDraft(path: string, text: string, place: (draft: string) => Promise<void>): Promise<void> {
  makeFolder(dirname(path));
  const draft = `${path}.${crypto().randomUUID()}`;
  await writeFile(draft, `${text}\n`, { mode: ownerOnly, flag: 'wx' });
  try {
    await place(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Atomically writes a file that only its owner can read, replacing an existing one. */
export const replaceSecretFile = (path: string, text: string): Promise<void> =>
  withDraft(path, text, (draft) => rename(draft, path));

/**
 * Atomically creates a file that only its owner can read.
 * @returns false if the file exists, for example because another process was faster.
 */
export async function createSecretFile(path: string, text: string): Promise<boolean> {
  try {
    await withDraft(path, text, (draft) => link(draft, path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Reads the token in a file; undefined if there is no such file. @throws Error if it is empty or can't be read */
export async function readToken(path: string): Promise<string | undefined> {
  const token = await readTextFile(path).catch((error: unknown) => {
    throw new Error(
      `The token can't be read from ${path} (${unreadableBecause(error)}): name a file that this user may read.`,
      { cause: error },
    );
  });
  if (token === '') throw new Error(`${path} is empty. Put a token into it, or delete it to create a new token.`);
  return token;
}

/**
 * Reads the token in a file, or creates the file with a new token.
 * @throws Error if it is empty, can't be read, or can't be created
 */
export async function readOrCreateToken(path: string): Promise<string> {
  const token = await readToken(path);
  if (token !== undefined) return token;
  const created = crypto().randomBytes(32).toString('base64url');
  const isOurs = await createSecretFile(path, created).catch((error: unknown) => {
    throw new Error(
      `The token can't be stored in ${path} (${unwritableBecause(error)}): name a file in a folder that this user may create and write in.`,
      { cause: error },
    );
  });
  return isOurs ? created : readOrCreateToken(path);
}

/** The files in the directory of keys that all servers and the operator's commands share. */
export const keyFilesOf = (keysDir: string) => ({
  guard: join(keysDir, 'guard.key'),
  operator: join(keysDir, 'operator.json'),
});
