import { isPrintableAscii, invisibleCharacters, withLineFeeds, withoutEscapes, withoutInvisible } from '../../contract/plain-text.ts';

const escapeCharacter = (character: string): string => `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`;

/**
 * A text as it may be shown to somebody: terminal escapes removed, other control characters and characters that can't be
 * seen written out as `<U+200B>`. Doing it twice changes nothing.
 */
export const clean = (text: string): string => (isPrintableAscii(text) ? text : withLineFeeds(withoutEscapes(text)).replaceAll(invisibleCharacters, escapeCharacter));

const escapedCharacter = /<U\+[0-9A-F]{4,6}>/g;

/**
 * A text cleaned, then masked. Where characters that nobody sees keep a secret from being found, the text is told without
 * them.
 * @param masked hides secrets in a cleaned text.
 */
export function cleanThenMask(text: string, masked: (text: string) => string): string {
  const cleaned = clean(text);
  const joined = cleaned === text ? text : withoutInvisible(text);
  const told = masked(cleaned);
  if (joined === cleaned) return told;
  const found = masked(joined);
  return found === told.replaceAll(escapedCharacter, '') ? told : found;
}

const openMark = '<platform-data>';
const closeMark = '</platform-data>';
const fenceLookalike = /<(?=[\s/]*platform-data)/gi;

// Nothing inside can end the fence early: what looks like its marks is made to differ.
const neutralize = (text: string): string => text.replaceAll(fenceLookalike, '‹');

/** Text from the platform between marks that say: data, not instructions. Expects text that may be shown. */
export const fence = (text: string): string => `${openMark}\n${neutralize(text)}\n${closeMark}`;

/** The same within a sentence. */
export const fenceInline = (text: string): string => `${openMark}${neutralize(text)}${closeMark}`;

/** The marks, for the instructions that explain them. */
export const fenceMarks = { open: openMark, close: closeMark };
