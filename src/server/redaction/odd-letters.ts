import { domainToUnicode } from 'node:url';
import { isPrintableAscii, writtenCharacter } from '../../contract/index.ts';
import { isOddForm, lookalikeOf, oddSeparators } from './lookalikes.ts';

/** Spaces of unusual width, which readers can't distinguish from the usual one. */
const oddSpaces = /(?! )\p{Zs}/gu;

// Markdown and HTML, which some clients render: comments and tags hide their content, a link its target, an image its
// description, and an entity becomes another character. Characters already written out stay.
const markup = /<(?!U\+[0-9A-F]{4,6}>)(?=[a-z/!?])|(?<=\])\(|&(?=(?:[a-z][a-z\d]*|#\d+|#x[\da-f]+);)/gi;

/** Maximum number of spaces, tabs or line feeds in a row that are shown unchanged. */
const longestRun = 20;
const runs = new RegExp(` {${longestRun + 1},}|\\t{${longestRun + 1},}|\\n{${longestRun + 1},}`, 'g');
const runNames: Readonly<Record<string, string>> = { ' ': 'spaces', '\t': 'tabs', '\n': 'line feeds' };

/**
 * Writes out characters that would be lost, or push other text out of view, when a text is rendered: odd spaces as
 * `<U+00A0>`, the start of markup as `<U+003C>`, and long runs of blanks as `<60 spaces>`. Idempotent.
 * @param text a cleaned text.
 * @param note receives each visible character that is written out, with its meaning.
 */
const writeOutLost = (text: string, note: (what: string, meaning: string) => void = () => undefined): string =>
  text
    .replaceAll(oddSpaces, writtenCharacter)
    .replaceAll(markup, (character) => {
      note(writtenCharacter(character), `is "${character}"`);
      return writtenCharacter(character);
    })
    .replaceAll(runs, (run) => `<${run.length} ${runNames[run[0]!]}>`);

/**
 * Writes out characters that could be mistaken for others in a text that a person confirms. Names in one script stay
 * unchanged, and so do ordinary mixtures (Unicode Technical Standard 39, "highly restrictive"): Japanese, Chinese and
 * Korean words, combined with Latin letters.
 */

// The scripts in use today (Unicode Standard Annex 31, recommended and limited use), and those with letters that look
// Latin.
const scripts = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Georgian',
  'Hebrew',
  'Arabic',
  'Syriac',
  'Thaana',
  'Nko',
  'Adlam',
  'Ethiopic',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Thai',
  'Lao',
  'Tibetan',
  'Myanmar',
  'Khmer',
  'Mongolian',
  'Hangul',
  'Han',
  'Hiragana',
  'Katakana',
  'Bopomofo',
  'Cherokee',
  'Canadian_Aboriginal',
  'Coptic',
  'Lisu',
  'Tifinagh',
  'Yi',
  'Vai',
  'Javanese',
  'Balinese',
  'Cham',
  'Batak',
  'Buginese',
  'Chakma',
  'Hanifi_Rohingya',
  'Kayah_Li',
  'Lepcha',
  'Limbu',
  'Mandaic',
  'Meetei_Mayek',
  'Miao',
  'New_Tai_Lue',
  'Newa',
  'Ol_Chiki',
  'Osage',
  'Samaritan',
  'Saurashtra',
  'Sundanese',
  'Syloti_Nagri',
  'Tai_Le',
  'Tai_Tham',
  'Tai_Viet',
  'Wancho',
] as const;

const ofScript = Object.fromEntries(
  scripts.map((script) => [script, new RegExp(`\\p{Script_Extensions=${script}}`, 'u')]),
) as Record<(typeof scripts)[number], RegExp>;

/** Matches characters that are foreign to a word of these scripts. */
const foreignTo = (...own: readonly string[]): RegExp =>
  new RegExp(
    `[^${own.map((script) => `\\p{Script_Extensions=${script}}`).join('')}\\p{Script_Extensions=Common}\\p{Script=Inherited}]`,
    'gu',
  );

/** The foreign characters for each combination of scripts that counts as one; Latin comes first. */
const kindsOfWords = [
  ...scripts.map((script) => foreignTo(script)),
  foreignTo('Latin', 'Han', 'Hiragana', 'Katakana'),
  foreignTo('Latin', 'Han', 'Bopomofo'),
  foreignTo('Latin', 'Han', 'Hangul'),
];

const eastAsian =
  /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Hangul}]/u;
const rightToLeft =
  /(?=\p{L})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]/u;
const digitBeforeLetters = /[^\p{L}\n]*\p{Nd}/uy;
const letter = /\p{L}/u;
const latinLetter = /\p{Script=Latin}/u;

// A character already written out is not a word.
const words = /<U\+[0-9A-F]{4,6}>|[\p{L}\p{M}\p{N}]+/gu;
const isWord = (token: string): boolean => !token.startsWith('<');

const scriptOf = (character: string): string | undefined => scripts.find((script) => ofScript[script].test(character));

/** Reports a letter that was written out, or a word that only looks Latin, with its meaning as text. */
type NoteOddity = (what: string, meaning: string) => void;

const meaningOf = (character: string): string => {
  const [like, script] = [lookalikeOf(character), scriptOf(character)];
  if (like !== undefined && !/[\p{L}\p{N}]/u.test(like)) return `is not "${like}"`;
  const own = script === undefined || script === 'Latin' ? '' : `, but ${script.replaceAll('_', ' ')}`;
  if (like !== undefined) return `is not the Latin ${like}${own}`;
  if (/\p{M}/u.test(character)) return 'is a mark on the letter before it';
  if (rightToLeft.test(character)) return `is ${script ?? 'a letter'}, written from right to left`;
  return script === undefined
    ? 'is of a script that is hardly written today'
    : `is ${script.replaceAll('_', ' ')}, unlike its word`;
};

/**
 * The marks of a word beyond two script-neutral ones on one letter, or four including those of the letter's script, and
 * marks without a letter.
 */
function oddMarks(word: readonly string[]): ReadonlySet<number> {
  const odd = new Set<number>();
  let [marks, borrowed, hasBase] = [0, 0, false];
  for (const [index, character] of word.entries()) {
    if (!/[\p{Mn}\p{Me}]/u.test(character)) {
      [marks, borrowed, hasBase] = [0, 0, true];
      continue;
    }
    marks += 1;
    if (/\p{Script=Inherited}/u.test(character)) borrowed += 1;
    if (!hasBase || borrowed > 2 || marks > 4) odd.add(index);
  }
  return odd;
}

/**
 * Returns a test for the letters of a word that belong to another script than the word: those that are not Latin if all
 * of them look Latin, otherwise as few as possible.
 */
function isForeignIn(word: string, characters: readonly string[]): (character: string) => boolean {
  if (kindsOfWords.some((foreign) => word.search(foreign) === -1)) return () => false;
  const others = characters.filter((character) => letter.test(character) && !latinLetter.test(character));
  const fewest = others.every((character) => lookalikeOf(character) !== undefined)
    ? kindsOfWords[0]!
    : kindsOfWords
        .map((foreign) => ({ foreign, count: word.match(foreign)!.length }))
        .reduce((best, one) => (one.count < best.count ? one : best)).foreign;
  return (character) => character.search(fewest) !== -1;
}

/** Whether a word without Latin letters has only letters that look Latin. */
const looksLatin = (word: string): boolean => {
  const letters = Array.from(word).filter((character) => letter.test(character));
  return (
    letters.length > 0 &&
    letters.every((character) => !latinLetter.test(character) && lookalikeOf(character) !== undefined)
  );
};

/** How words of a text that look Latin are read: unchanged if other words show that their script is intended. */
function doubtIn(text: string): (word: string) => 'none' | 'alone' | 'among Latin' {
  const all = (text.match(words) ?? []).filter(isWord);
  if (!all.some(looksLatin)) return () => 'none';
  const meant = new Set(
    all.flatMap((word) =>
      looksLatin(word)
        ? []
        : Array.from(word)
            .filter((character) => letter.test(character) && lookalikeOf(character) === undefined)
            .map(scriptOf),
    ),
  );
  return (word) => {
    if (
      !looksLatin(word) ||
      Array.from(word).some((character) => letter.test(character) && meant.has(scriptOf(character)))
    )
      return 'none';
    return meant.has('Latin') ? 'among Latin' : 'alone';
  };
}

// Writing out letters can separate the remaining ones from their words, so a text needs several rounds.
const mostRounds = 4;

/**
 * Writes out, as `<U+0430>`, letters of another script than their word's, letters and separators that are drawn like
 * those of ASCII, words that only look Latin among Latin ones, marks beyond two on a letter, and right-to-left letters
 * next to digits, which would be displayed in a different order. Takes linear time. Idempotent.
 * @param text a cleaned text.
 */
export function writeOutOddLetters(text: string, note: NoteOddity = () => undefined): string {
  let shown = text;
  for (let round = 0; round < mostRounds && !isPrintableAscii(shown); round += 1) {
    const next = writeOutOnce(shown, note);
    if (next === shown) break;
    shown = next;
  }
  return shown;
}

function writeOutOnce(text: string, note: NoteOddity): string {
  const noted = new Set<string>();
  const writeOut = (character: string): string => {
    const written = writtenCharacter(character);
    if (!noted.has(character)) note(written, meaningOf(character));
    noted.add(character);
    return written;
  };
  const separated = text.replaceAll(oddSeparators, (characters) => Array.from(characters).map(writeOut).join(''));
  const doubt = doubtIn(separated);
  return separated.replaceAll(words, (word, at: number) => {
    if (!isWord(word) || isPrintableAscii(word)) return word;
    const doubtful = doubt(word);
    if (doubtful === 'alone')
      note(word, `is ${scriptOf(Array.from(word).find((one) => letter.test(one))!) ?? 'not Latin'}, and looks Latin`);
    const characters = Array.from(word);
    const marks = oddMarks(characters);
    const isForeign = isForeignIn(word, characters);
    const isEastAsian = eastAsian.test(word);
    digitBeforeLetters.lastIndex = at + word.length;
    const isBesideDigits = rightToLeft.test(word) && (/\p{Nd}/u.test(word) || digitBeforeLetters.test(separated));
    const isOdd = (character: string, index: number): boolean =>
      marks.has(index) ||
      isForeign(character) ||
      (isOddForm(character) && !isEastAsian) ||
      (isBesideDigits && rightToLeft.test(character)) ||
      (doubtful === 'among Latin' && letter.test(character));
    return characters.map((character, index) => (isOdd(character, index) ? writeOut(character) : character)).join('');
  });
}

// Hosts in URLs of schemes that resolve them by name. Text that only resembles a host, as in a program, doesn't match.
const hostInAddress =
  /(?<before>(?:https?|wss?|ssh|git|oci|ftp|socks\d?[ah]?):\/\/(?:[^\s/?#@"'<>]{0,300}@)?)(?<host>[\p{L}\p{M}\p{N}._-]+)(?=[/?#:\s"'<>)\],;]|$)(?!<U|:\/\/)/giu;

/**
 * The form of a host in a text to confirm: as it is looked up in DNS, `xn--…`, unless other spellings have the same
 * form.
 */
function shownHost(host: string, note: NoteOddity | undefined): string {
  const ascii = isPrintableAscii(host) ? undefined : URL.parse(`http://${host}`)?.hostname;
  if (ascii === undefined) return host;
  const own = writeOutOddLetters(host);
  const isOnlyOne = domainToUnicode(ascii) === host.normalize('NFC').toLowerCase();
  if (isOnlyOne) note?.(ascii, `is given as ${own}`);
  else note?.(own, `is looked up as ${ascii}`);
  return isOnlyOne ? ascii : host;
}

/**
 * A text in the form in which a person confirms it: characters that would be lost when rendered are written out, hosts
 * in URLs are in ASCII form, and odd letters are written out. No character is lost: the original form of a host is
 * noted too.
 * @param text a cleaned text.
 * @param note receives what was written out, hosts in ASCII form, and words that only look Latin.
 */
export function agreedText(text: string, note?: NoteOddity): string {
  const drawn = writeOutLost(text, note);
  if (isPrintableAscii(drawn)) return drawn;
  return writeOutOddLetters(
    drawn.replaceAll(hostInAddress, (_, before: string, host: string) => `${before}${shownHost(host, note)}`),
    note,
  );
}
