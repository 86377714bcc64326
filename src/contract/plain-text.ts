// ECMA-48: operating system commands with their terminators, control sequences, and shorter escapes. Node's
// stripVTControlCharacters takes quadratic time on repeated openings of such commands; this expression is linear. Of an
// unterminated command only the opening is removed, so that it can't hide text.
// oxlint-disable-next-line no-control-regex
const escapes = /(?:\u001B\]|\u009D)[^\u0007\u001B\u009C\u009D]*(?:\u0007|\u001B\\|\u009C)|(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|\u001B[ -/]*[0-~]?/g;

/** Removes terminal escape sequences, in linear time. */
export const withoutEscapes = (text: string): string => text.replace(escapes, '');

/** Converts CRLF and CR line endings to LF. */
export const withLineFeeds = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

/**
 * Characters that are invisible or reorder text: control characters except line feed and tab, zero-width and bidirectional
 * characters, fillers, tags, line separators, the blank braille pattern. The variation selector that turns a pictograph
 * into an emoji is excluded.
 */
export const invisibleCharacters = /(?![\n\t])\p{Cc}|(?!(?<=\p{Extended_Pictographic})\uFE0F)(?:\p{Cf}|\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u2800])/gu;

// Most texts consist of printable ASCII, line feeds and tabs only; for those, this test is all that runs.
const printableAscii = /^[\n\t\u0020-\u007E]*$/;

/** Whether a text consists only of printable ASCII, line feeds and tabs. */
export const isPrintableAscii = (text: string): boolean => printableAscii.test(text);

/** Removes escape sequences and invisible characters, joining the text that they split, and converts line endings to LF. */
export const withoutInvisible = (text: string): string => (isPrintableAscii(text) ? text : withLineFeeds(withoutEscapes(text)).replaceAll(invisibleCharacters, ''));
