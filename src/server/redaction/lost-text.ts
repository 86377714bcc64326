import { writtenCharacter } from '../../contract/index.ts';

/** Spaces of other widths than the usual one, which nobody tells from it. */
const oddSpaces = /(?! )\p{Zs}/gu;

// Markdown and HTML, which some clients draw: comments and tags hide what they hold, a link its target, an image its
// description, and an entity becomes another character. What is written out already stays.
const markup = /<(?!U\+[0-9A-F]{4,6}>)(?=[a-z/!?])|(?<=\])\(|&(?=(?:[a-z][a-z\d]*|#\d+|#x[\da-f]+);)/gi;

/** Most spaces, tabs or line feeds in a row that are shown as such. */
const longestRun = 20;
const runs = new RegExp(` {${longestRun + 1},}|\\t{${longestRun + 1},}|\\n{${longestRun + 1},}`, 'g');
const runNames: Readonly<Record<string, string>> = { ' ': 'spaces', '\t': 'tabs', '\n': 'line feeds' };

/**
 * Writes out what would get lost, or push other text out of sight, where a text is drawn: odd spaces as `<U+00A0>`, what
 * begins markup as `<U+003C>`, and long runs of blanks as `<60 spaces>`. Idempotent.
 * @param text a cleaned text.
 * @param note is told what is written out although it can be seen, and what it is.
 */
export const writeOutLost = (text: string, note: (what: string, meaning: string) => void = () => undefined): string =>
  text
    .replaceAll(oddSpaces, writtenCharacter)
    .replaceAll(markup, (character) => {
      note(writtenCharacter(character), `is "${character}"`);
      return writtenCharacter(character);
    })
    .replaceAll(runs, (run) => `<${run.length} ${runNames[run[0]!]}>`);
