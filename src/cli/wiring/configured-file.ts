import { readFile } from 'node:fs/promises';
import { decodedText, unreadableBecause } from '../../contract/index.ts';

/**
 * Reads a file that an operator configured.
 * @param what the description of the file in the message, such as: The clusters file
 * @throws Error that names the file that can't be read, and its purpose
 */
export async function readConfiguredFile(path: string, what: string): Promise<string> {
  try {
    return decodedText(await readFile(path));
  } catch (error) {
    throw new Error(`${what} can't be read: ${path} (${unreadableBecause(error)}).`, { cause: error });
  }
}

/**
 * Reads a file that holds one value and nothing else, such as a password. Surrounding white space is removed. The rest
 * is as for `readConfiguredFile`.
 */
export const readConfiguredValue = async (path: string, what: string): Promise<string> =>
  (await readConfiguredFile(path, what)).trim();
