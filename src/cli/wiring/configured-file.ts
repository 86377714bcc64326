import { readFile } from 'node:fs/promises';

/**
 * Reads a file that an operator configured.
 * @param what it is, for people, such as: The clusters file
 * @throws Error that says which file can't be read, and what it is for
 */
export async function readConfiguredFile(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`${what} can't be read: ${path} (${(error as NodeJS.ErrnoException).code ?? String(error)}).`, {
      cause: error,
    });
  }
}

/**
 * Reads a file that holds one value and nothing else, such as a password. The space around it doesn't count. The rest
 * is as for `readConfiguredFile`.
 */
export const readConfiguredValue = async (path: string, what: string): Promise<string> =>
  (await readConfiguredFile(path, what)).trim();
