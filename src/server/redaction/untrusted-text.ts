import { isPrintableAscii, invisibleCharacters, withLineFeeds, withoutEscapes, withoutInvisible } from '../../contract/index.ts';

const escapeCharacter = (character: string): string => `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`;

/**
 * Removes terminal escapes, and writes other control characters and invisible characters as `<U+200B>`. Idempotent.
 */
export const clean = (text: string): string => (isPrintableAscii(text) ? text : withLineFeeds(withoutEscapes(text)).replaceAll(invisibleCharacters, escapeCharacter));

const escapedCharacter = /<U\+[0-9A-F]{4,6}>/g;

/**
 * Cleans a text, then masks it. If invisible characters would hide a secret from the mask, the result omits them.
 * @param mask hides secrets in a cleaned text.
 */
export function cleanThenMask(text: string, mask: (text: string) => string): string {
  const cleaned = clean(text);
  const visible = cleaned === text ? text : withoutInvisible(text);
  const masked = mask(cleaned);
  if (visible === cleaned) return masked;
  const maskedVisible = mask(visible);
  return maskedVisible === masked.replaceAll(escapedCharacter, '') ? masked : maskedVisible;
}

const openMark = '<platform-data>';
const closeMark = '</platform-data>';
const fenceLookalike = /<(?=[\s/]*platform-data)/gi;

// Prevents the content from closing the fence: the `<` of anything like a fence mark is replaced.
const neutralize = (text: string): string => text.replaceAll(fenceLookalike, '‹');

/** Puts text from the platform between marks that label it as data, not instructions. Expects cleaned and masked text. */
export const fence = (text: string): string => `${openMark}\n${neutralize(text)}\n${closeMark}`;

/** `fence` for use within a sentence. */
export const fenceInline = (text: string): string => `${openMark}${neutralize(text)}${closeMark}`;

/** The fence marks, for the instructions that explain them. */
export const fenceMarks = { open: openMark, close: closeMark };
