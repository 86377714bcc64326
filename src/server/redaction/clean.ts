import { isOrdinary, unseen, withLineFeeds, withoutEscapes, withoutUnseen } from '../../contract/plain-text.ts';

const visible = (character: string): string => `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`;

/**
 * A text as it may be shown to somebody: terminal escapes removed, other control characters and characters that can't be
 * seen written out as `<U+200B>`. Doing it twice changes nothing.
 */
export const clean = (text: string): string => (isOrdinary(text) ? text : withLineFeeds(withoutEscapes(text)).replaceAll(unseen, visible));

const written = /<U\+[0-9A-F]{4,6}>/g;

/**
 * A text cleaned, then masked. Where characters that nobody sees keep a secret from being found, the text is told without
 * them.
 * @param masked hides secrets in a cleaned text.
 */
export function cleanThenMask(text: string, masked: (text: string) => string): string {
  const cleaned = clean(text);
  const joined = cleaned === text ? text : withoutUnseen(text);
  const told = masked(cleaned);
  if (joined === cleaned) return told;
  const found = masked(joined);
  return found === told.replaceAll(written, '') ? told : found;
}
