import { readFile } from 'node:fs/promises';
import type * as z from 'zod';
import { decodedText, issueTexts, unreadableBecause } from '../../../contract/index.ts';

/** Makes the error that a file can't be used, for a reason. */
export type Unusable = (why: string) => Error;

/** Reads the text of a file. @throws Error made by `unusable` */
export const readSettings = (path: string, unusable: Unusable): Promise<string> =>
  readFile(path)
    .then(decodedText)
    .catch((error: unknown) => {
      throw unusable(`it can't be read (${unreadableBecause(error)})`);
    });

/**
 * Parses a file of settings in YAML or JSON.
 * @throws Error made by `unusable`, with all faults
 */
export async function parseSettings<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
  unusable: Unusable,
): Promise<z.output<Schema>> {
  // The bundler keeps only the default export of a CommonJS package.
  const { parse } = (await import('yaml')).default;
  let content: unknown;
  try {
    content = parse(text, { prettyErrors: false });
  } catch (error) {
    throw unusable((error as Error).message);
  }
  const file = schema.safeParse(content);
  if (!file.success) throw unusable(issueTexts(file.error, 'the file', schema).join('; '));
  return file.data;
}
