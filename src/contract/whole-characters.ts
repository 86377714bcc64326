import { isRecord } from './json.ts';
import { longestRepeated } from './limits.ts';
import { codePoint } from './plain-text.ts';

/**
 * Functions for well-formed Unicode text. A character beyond U+FFFF takes two code units, and half of one, a lone
 * surrogate, makes a strict JSON parser reject the whole message. All text that is shown, stored or sent is cut with
 * these functions.
 */

/** Whether the code units before and after a position in a text are one character. */
const splitsCharacter = (text: string, place: number): boolean =>
  place > 0 && place < text.length && text.codePointAt(place - 1)! > 0xffff;

/** The beginning of a text. @param most its length in code units; one less if a lone surrogate would be left */
export const firstPart = (text: string, most: number): string =>
  text.slice(0, splitsCharacter(text, most) ? most - 1 : most);

/** The end of a text. @param most its length in code units; one less if a lone surrogate would be left */
export function lastPart(text: string, most: number): string {
  const start = Math.max(0, text.length - most);
  return text.slice(splitsCharacter(text, start) ? start + 1 : start);
}

/** A text cut to at most `most` code units; if cut, it ends in "…". */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${firstPart(text, most - 1)}…` : text;

/** A caller's text as errors repeat it: its beginning, so that a caller can't make errors and logs arbitrarily long. */
export const repeated = (text: string): string => shortened(text, longestRepeated);

/**
 * Replaces each lone surrogate in the texts and member names of a value with U+FFFD. A value without any is returned as
 * it is.
 */
export const wellFormed = <Value>(value: Value): Value => (isWellFormed(value) ? value : (replaced(value) as Value));

// Dates and other values with `toJSON` contain no texts to check.
const hasMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isRecord(value) && typeof value['toJSON'] !== 'function';

/** Whether there is no lone surrogate in a value: nearly always, so that nothing is made to find out. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  return !hasMembers(value) || Object.keys(value).every((name) => name.isWellFormed() && isWellFormed(value[name]));
}

function replaced(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) {
    const items = value.map(replaced);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!hasMembers(value)) return value;
  let isSame = true;
  const members = Object.entries(value).map(([name, member]) => {
    const both = [name.toWellFormed(), replaced(member)] as const;
    isSame &&= both[0] === name && both[1] === member;
    return both;
  });
  return isSame ? value : Object.fromEntries(members);
}

/** A lone surrogate in a text or a member name of a value. */
export interface HalfCharacter {
  /** The path of the text; for a name, the path of its member. */
  readonly path: readonly (string | number)[];
  /** Such as `U+D83D`. */
  readonly codePoint: string;
}

/** The first lone surrogate in a value; undefined if there is none. */
export function halfCharacterIn(value: unknown, path: readonly (string | number)[] = []): HalfCharacter | undefined {
  if (typeof value === 'string') {
    const half = /\p{Cs}/u.exec(value);
    return half ? { path, codePoint: codePoint(half[0]) } : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const inside = [...path, name];
    const found =
      (typeof name === 'string' ? halfCharacterIn(name, inside) : undefined) ?? halfCharacterIn(member, inside);
    if (found) return found;
  }
  return undefined;
}
