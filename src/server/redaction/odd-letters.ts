import { domainToUnicode } from 'node:url';
import { isPrintableAscii, writtenCharacter } from '../../contract/index.ts';
import { isOddForm, lookalikeOf, oddSeparators } from './lookalikes.ts';

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
 * Writes out what would get lost, or push other text out of sight, where a text is drawn: odd spaces as `<U+00A0>`,
 * what begins markup as `<U+003C>`, and long runs of blanks as `<60 spaces>`. Idempotent.
 * @param text a cleaned text.
 * @param note is told what is written out although it can be seen, and what it is.
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
 * Writes out what passes for something else in a text that a person agrees to. Names in one script stay as they are,
 * and so do the mixtures that are ordinary (Unicode Technical Standard 39, "highly restrictive"): Japanese, Chinese and
 * Korean words, with Latin letters among them.
 */

// Those that people write today (Unicode Standard Annex 31, recommended and limited use), and those with letters like
// Latin ones.
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

/** Matches what is foreign in a word of these scripts. */
const foreignTo = (...own: readonly string[]): RegExp =>
  new RegExp(
    `[^${own.map((script) => `\\p{Script_Extensions=${script}}`).join('')}\\p{Script_Extensions=Common}\\p{Script=Inherited}]`,
    'gu',
  );

/** What is foreign in each kind of word that counts as one script; Latin comes first. */
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

// What is written out already is no word.
const words = /<U\+[0-9A-F]{4,6}>|[\p{L}\p{M}\p{N}]+/gu;
const isWord = (token: string): boolean => !token.startsWith('<');

const scriptOf = (character: string): string | undefined => scripts.find((script) => ofScript[script].test(character));

/** Tells of a letter that was written out, or of a word that only looks Latin: it and what it is, in words. */
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

/** The marks of a word beyond two on one letter, or four of the letter's own script, and those without a letter. */
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
 * Which letters of a word are of another script than the word: those that are not Latin if all of them look Latin, else
 * as few as possible.
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

/**
 * How the words of a text that look Latin are to be read: as they are where other words show that their script is
 * meant.
 */
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

// What is written out can leave other letters without words that they belong to.
const mostRounds = 4;

/**
 * Writes out, as `<U+0430>`, letters of another script than their word's, letters and separators that are drawn like
 * those of ASCII, words that only look Latin among Latin ones, marks beyond two on a letter, and letters written from
 * right to left beside digits, which change places with them. Takes linear time. Idempotent.
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

// Of the schemes whose hosts are looked up by name. What only resembles a host, as in a program, is none.
const hostInAddress =
  /(?<before>(?:https?|wss?|ssh|git|oci|ftp|socks\d?[ah]?):\/\/(?:[^\s/?#@"'<>]{0,300}@)?)(?<host>[\p{L}\p{M}\p{N}._-]+)(?=[/?#:\s"'<>)\],;]|$)(?!<U|:\/\/)/giu;

/**
 * How a host stands where a person agrees to it: as name servers are asked for it, `xn--…`, unless other hosts are
 * looked up so too.
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
 * A text as it stands where a person agrees to it: what gets lost when it is drawn written out, hosts of addresses in
 * ASCII form, and odd letters written out. No character of it goes: a host is told in its own form too.
 * @param text a cleaned text.
 * @param note is told what was written out, of hosts in ASCII form, and of words that only look Latin.
 */
export function agreedText(text: string, note?: NoteOddity): string {
  const drawn = writeOutLost(text, note);
  if (isPrintableAscii(drawn)) return drawn;
  return writeOutOddLetters(
    drawn.replaceAll(hostInAddress, (_, before: string, host: string) => `${before}${shownHost(host, note)}`),
    note,
  );
}
