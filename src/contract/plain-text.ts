// ECMA-48: operating system commands up to their end, control sequences, and shorter escapes. Node's own
// stripVTControlCharacters takes quadratic time on repeated openings of such commands; these never look back. A command
// that never ends hides nothing: only its opening goes.
// oxlint-disable-next-line no-control-regex
const escapes = /(?:\u001B\]|\u009D)[^\u0007\u001B\u009C\u009D]*(?:\u0007|\u001B\\|\u009C)|(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|\u001B[ -/]*[0-~]?/g;

/** A text without the escape sequences of terminals. Takes time in proportion to its length. */
export const withoutEscapes = (text: string): string => text.replace(escapes, '');

/** Line ends of any kind as line feeds. */
export const withLineFeeds = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

/**
 * Characters that show nothing or reorder what is shown: controls other than line feed and tab, zero-width and
 * bidirectional ones, fillers, tags, line separators, the blank braille pattern. The selector that makes a pictograph an
 * emoji is ordinary text.
 */
export const invisibleCharacters = /(?![\n\t])\p{Cc}|(?!(?<=\p{Extended_Pictographic})\uFE0F)(?:\p{Cf}|\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u2800])/gu;

// Nothing but printable ASCII, line feeds and tabs: most texts are, and those are looked at once.
const printableAscii = /^[\n\t\u0020-\u007E]*$/;

/** Whether a text holds nothing but printable ASCII, line feeds and tabs. */
export const isPrintableAscii = (text: string): boolean => printableAscii.test(text);

/** A text as it reads: without escape sequences and without characters that nobody sees. What such characters split comes together. */
export const withoutInvisible = (text: string): string => (isPrintableAscii(text) ? text : withLineFeeds(withoutEscapes(text)).replaceAll(invisibleCharacters, ''));
