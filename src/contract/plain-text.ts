// ECMA-48: operating system commands with their terminators, control sequences, and shorter escapes. Node's
// stripVTControlCharacters takes quadratic time on repeated openings of such commands; this expression is linear. For
// an unterminated command, only the opening is matched.
export const terminalEscapes =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001B\]|\u009D)[^\u0007\u001B\u009C\u009D]*(?:\u0007|\u001B\\|\u009C)|(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|\u001B[ -/]*[0-~]?/g;

/**
 * Removes terminal escape sequences with the printable characters in them, in linear time. Only for recognising words
 * and secrets that such sequences split: text for readers is written out (`writtenOut`), because a sequence could hide
 * text.
 */
const withoutEscapes = (text: string): string => text.replace(terminalEscapes, '');

/** Converts CRLF and CR line endings to LF. */
const withLineFeeds = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

/**
 * Characters that are invisible or reorder text: control characters except line feed and tab, zero-width and
 * bidirectional characters, fillers, tags, line separators, blank symbols, and code points without a standard glyph:
 * private use, unassigned and noncharacters. The variation selector that turns a pictograph into an emoji is excluded.
 * Printable ASCII is told at a glance: what follows takes ten times as long for each character.
 */
export const invisibleCharacters =
  /(?![\n\t\u0020-\u007E])(?:\p{Cc}|(?!(?<=\p{Extended_Pictographic})\uFE0F)(?:\p{Cf}|\p{Default_Ignorable_Code_Point}|\p{Co}|\p{Cn}|[\u2028\u2029\u2800\uFFFC\u{16FE4}\u{1D159}]))/gu;

// Without the flag g, each test starts at the beginning of the text.
const invisible = new RegExp(invisibleCharacters.source, 'u');

// Most texts consist of printable ASCII, line feeds and tabs only; for those, this test is all that runs.
const printableAscii = /^[\n\t\u0020-\u007E]*$/;

/** Whether a text consists only of printable ASCII, line feeds and tabs. */
export const isPrintableAscii = (text: string): boolean => printableAscii.test(text);

/** Whether a text has characters that are invisible or reorder it (`invisibleCharacters`). */
export const hasInvisible = (text: string): boolean => !isPrintableAscii(text) && invisible.test(text);

/** The name of a character: `U+001B`. */
export const codePoint = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** A written-out character: `<U+001B>`. */
export const writtenCharacter = (character: string): string => `<${codePoint(character)}>`;

/**
 * The name of the first control character in a text, such as `U+001B`; undefined if it has none but line feeds and
 * tabs.
 */
export function controlCharacterIn(text: string): string | undefined {
  const found = isPrintableAscii(text) ? undefined : /(?![\n\t])\p{Cc}/u.exec(text)?.[0];
  return found === undefined ? undefined : codePoint(found);
}

/**
 * A text as it is shown to readers: in questions, on pages, in terminals, results and records. Control characters,
 * invisible characters and those that reorder text are written out, as `<U+001B>`. Nothing is removed, so that the
 * reader sees all of a text to confirm. Lone surrogates become U+FFFD. Idempotent.
 */
export const writtenOut = (text: string): string =>
  isPrintableAscii(text) ? text : text.toWellFormed().replaceAll(invisibleCharacters, writtenCharacter);

/** Marks colours and cursor movements in the text of a log. */
export const styleMark = '\u241B';

// Colours, character sets, erasures and cursor movements, which all contain at most one letter. Other sequences could
// include words, so they stay and are written out.
// oxlint-disable-next-line no-control-regex
const styles = /(?:\u001B(?:\[[\d;:]*m|\[K|\[\d[\d;]*[A-HJKSTf]|\[\?\d[\d;]*[hl]|\([AB0]))+/g;

// oxlint-disable-next-line no-control-regex
const startsStyle = /[\u001B\r]/;

/**
 * The text of a log with a short mark in place of colours and cursor movements, which are frequent in logs, and CRLF as
 * LF.
 */
export const withStyleMarks = (text: string): string =>
  startsStyle.test(text) ? text.replaceAll(styles, styleMark).replaceAll(/\r(?:\n|$)/g, (end) => end.slice(1)) : text;

/**
 * The same without any marks, so that words split by colours are found, also if the text was already cleaned and has
 * marks.
 */
export const withoutStyles = (text: string): string =>
  isPrintableAscii(text) ? text : text.replaceAll(styles, '').replaceAll(styleMark, '');

/**
 * Removes escape sequences and invisible characters, joining the text that they split, and converts line endings to LF.
 * Only for recognising, as `withoutEscapes`.
 */
export const withoutInvisible = (text: string): string =>
  isPrintableAscii(text) ? text : withLineFeeds(withoutEscapes(text)).replaceAll(invisibleCharacters, '');
