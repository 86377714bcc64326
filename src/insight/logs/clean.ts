// ECMA-48: operating system commands up to their end, control sequences, and shorter escapes. Node's own
// stripVTControlCharacters takes quadratic time on repeated openings of such commands; these never look back. A command
// that never ends hides nothing: only its opening goes.
// oxlint-disable-next-line no-control-regex
const escapes = /(?:\u001B\]|\u009D)[^\u0007\u001B\u009C\u009D]*(?:\u0007|\u001B\\|\u009C)|(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|\u001B[ -/]*[0-~]?/g;

/** A text without the escape sequences of terminals. Takes time in proportion to its length. */
export const withoutEscapes = (text: string): string => text.replace(escapes, '');

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
