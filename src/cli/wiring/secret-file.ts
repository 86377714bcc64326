import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const ownerOnly = 0o600;

/** The text of a file without white space around it; undefined when there is no such file. */
export async function readTextFile(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a draft beside a file, lets `place` bring it there, and leaves no draft behind. */
async function withDraft(path: string, text: string, place: (draft: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, `${text}\n`, { mode: ownerOnly, flag: 'wx' });
  try {
    await place(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Writes a file that only its owner may read, whole or not at all, over the one that may be there. */
export const replaceSecretFile = (path: string, text: string): Promise<void> => withDraft(path, text, (draft) => rename(draft, path));

/**
 * Writes such a file where there is none, whole or not at all.
 * @returns false when there is one, also when another process was quicker.
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

/** The token in a file; a new one is written where there is no file. */
export async function readOrCreateToken(path: string): Promise<string> {
  const token = await readTextFile(path);
  if (token === '') throw new Error(`${path} is empty. Put a token into it, or delete it to have one made.`);
  if (token !== undefined) return token;
  const created = randomBytes(32).toString('base64url');
  return (await createSecretFile(path, created)) ? created : readOrCreateToken(path);
}
