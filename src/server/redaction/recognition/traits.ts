import { secretHint } from './secret-names.ts';

/**
 * What a text has, as bits. Each form of secrets needs some of it, and most texts have hardly any: one look at a text
 * tells which forms are not in it.
 */
export const traits = {
  /** A word as long as the shortest key. */
  longWord: 1,
  hyphen: 2,
  at: 4,
  bracket: 8,
  quote: 16,
  /** A part of the name of a secret. */
  hint: 32,
} as const;

const all = Object.values(traits).reduce((sum, bit) => sum | bit, 0);

const shortestKey = 16;

// By the code of a character: its trait, none, or that it ends a word.
const endsWord = 128;
const traitOfCode = new Uint8Array(128);
for (const [trait, characters] of [
  [traits.hyphen, '-'],
  [traits.at, '@'],
  [traits.bracket, '['],
  [traits.quote, '"\''],
  [endsWord, ' \t\n\v\f\r'],
] as const)
  for (const character of characters) traitOfCode[character.charCodeAt(0)] = trait;

/**
 * The traits of a text.
 * @param isLong whether it is so long that looking for them is not worth it: it counts as having all.
 */
export function traitsOf(text: string, isLong: boolean): number {
  if (isLong) return all;
  let [found, word] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const trait = code < traitOfCode.length ? traitOfCode[code]! : 0;
    if (trait === endsWord) word = 0;
    else {
      found |= trait;
      word += 1;
      if (word === shortestKey) found |= traits.longWord;
    }
  }
  return secretHint.test(text) ? found | traits.hint : found;
}
