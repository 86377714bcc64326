import { isRecord } from './json.ts';
import { longestRepeated } from './limits.ts';
import { codePoint } from './plain-text.ts';

/**
 * Texts that are well-formed Unicode. A character beyond U+FFFF takes two code units, and half of one, a lone
 * surrogate, makes a strict JSON parser refuse the whole message. Every cut of a text that is shown, stored or sent is
 * made here.
 */

/** Whether the code units before and after a place in a text are one character. */
const splitsCharacter = (text: string, place: number): boolean =>
  place > 0 && place < text.length && text.codePointAt(place - 1)! > 0xffff;

/** The beginning of a text. @param most its length in code units; one less where half a character would be left */
export const firstPart = (text: string, most: number): string =>
  text.slice(0, splitsCharacter(text, most) ? most - 1 : most);

/** The end of a text. @param most its length in code units; one less where half a character would be left */
export function lastPart(text: string, most: number): string {
  const start = Math.max(0, text.length - most);
  return text.slice(splitsCharacter(text, start) ? start + 1 : start);
}

/** A text that is no longer than `most` code units: one that was cut ends in "…". */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${firstPart(text, most - 1)}…` : text;

/**
 * A caller's text as errors repeat it: its beginning, so that nobody makes an error, or a log with it, as long as they
 * like.
 */
export const repeated = (text: string): string => shortened(text, longestRepeated);

/**
 * Replaces each half character in the texts and member names of a value by U+FFFD. A value without any is returned as
 * it is.
 */
export function wellFormed<Value>(value: Value): Value {
  return replaced(value) as Value;
}

function replaced(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) {
    const items = value.map(replaced);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  // Dates and others with a form of their own have no texts to look into.
  if (!isRecord(value) || typeof value['toJSON'] === 'function') return value;
  let isSame = true;
  const members = Object.entries(value).map(([name, member]) => {
    const both = [name.toWellFormed(), replaced(member)] as const;
    isSame &&= both[0] === name && both[1] === member;
    return both;
  });
  return isSame ? value : Object.fromEntries(members);
}

/** A half character in a text or a member name of a value. */
export interface HalfCharacter {
  /** Where the text is. Of a name: where its member is. */
  readonly path: readonly (string | number)[];
  /** Such as `U+D83D`. */
  readonly codePoint: string;
}

/** The first half character in a value; undefined if there is none. */
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
