import { withoutEscapes } from '../insight/logs/clean.ts';

const open = '<platform-data>';
const close = '</platform-data>';
const lookalike = /<(?=[\s/]*platform-data)/gi;

// Characters that show nothing or reorder what is shown: zero-width, bidirectional, fillers, tags, line separators, the blank
// braille pattern. The selector that makes a pictograph an emoji is ordinary text.
const invisible = /(?!(?<=\p{Extended_Pictographic})\uFE0F)(?:\p{Cf}|\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u2800])/gu;
const control = /(?![\n\t])\p{Cc}/gu;

const visible = (character: string): string => `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`;

/**
 * Text from the platform as it may be shown: terminal escapes removed, other control characters and characters
 * that can't be seen written out as `<U+200B>`.
 */
export const clean = (text: string): string =>
  withoutEscapes(text).replaceAll(/\r\n?/g, '\n').replaceAll(control, visible).replaceAll(invisible, visible);

// Nothing inside can end the fence early: what looks like its marks is made to differ.
const defuse = (text: string): string => text.replaceAll(lookalike, '‹');

/** Text from the platform between marks that say: data, not instructions. Expects cleaned text. */
export const fence = (text: string): string => `${open}\n${defuse(text)}\n${close}`;

/** The same within a sentence. */
export const fenceInline = (text: string): string => `${open}${defuse(text)}${close}`;

/** The marks, for the instructions that explain them. */
export const fenceMarks = { open, close };
