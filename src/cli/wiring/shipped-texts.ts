import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { textPaths, textsIn, type Texts } from '../../server/browse/index.ts';

/**
 * The prompts and skills shipped with the program: at the root of the source tree, or in the folder of the bundle.
 * @throws Error if they are missing.
 */
export function shippedTexts(): Texts {
  const candidates = ['.', '..', '../..', '../../..'].map((path) => join(import.meta.dirname, path));
  const folder = candidates.find((candidate) =>
    Object.values(textPaths).every((path) => existsSync(join(candidate, path))),
  );
  if (folder === undefined)
    throw new Error(`The prompts and skills that belong to this program are not in ${candidates.join(' nor in ')}.`);
  return textsIn(folder);
}
