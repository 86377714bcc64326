import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { textPaths, textsIn, type Texts } from '../../server/browse/texts.ts';

/**
 * The texts that come with the program: at the root of the source, or in the folder of the bundle that this code is in.
 * @throws Error when they were left behind.
 */
export function shippedTexts(): Texts {
  const around = ['.', '..', '../..', '../../..'].map((way) => join(import.meta.dirname, way));
  const folder = around.find((one) => Object.values(textPaths).every((place) => existsSync(join(one, place))));
  if (folder === undefined) throw new Error(`The prompts and skills that belong to this program are not in ${around.join(' nor in ')}.`);
  return textsIn(folder);
}
