import { withoutEscapes } from '../../contract/plain-text.ts';

// Controls mean nothing in a line of text, but for a tab; marks of format hide or reorder what is read.
const unprintable = /(?!\t)\p{Cc}|\p{Cf}/gu;

/** Most characters of one line that are looked at. What is longer is data rather than a message. */
export const maximumLineLength = 4000;

const lastWritten = (text: string): string =>
  text.includes('\r') ? (text.split('\r').findLast((part) => part.trim() !== '') ?? '') : text;

/**
 * A line as a terminal would leave it: no colours and other escapes, of a progress bar only what was written last,
 * no control characters, no space at the end. Takes time in proportion to the text's length.
 */
export const cleanLine = (line: string): string =>
  lastWritten(withoutEscapes(line.slice(0, maximumLineLength))).replace(unprintable, '').trimEnd();
