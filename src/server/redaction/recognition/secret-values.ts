/** Recognises values by their form, whatever their name. */

/** Values that are not secret under any name. */
const harmlessValues: ReadonlySet<string> = new Set(['', 'true', 'false', 'null', 'none', 'nil', 'undefined']);
const longestHarmless = 9;

// References to a value stored elsewhere, and masks: ${DB_PASSWORD}, $DB_PASSWORD, {{ .Values.password }}, ****.
const reference =
  /^(?:\$\{[A-Za-z_][\w.]{0,100}\}|\$[A-Z_][A-Z\d_]{0,100}|\{\{[^{}]{0,200}\}\}|\$\{\{[^{}]{0,200}\}\}|%[A-Z_]{1,100}%|\*{3,200}|<(?:redacted|hidden|masked)>)$/;

/** Maximum length of a value that can be a word or a reference, in characters. */
export const longestWord = 200;

/** Whether a value with a secret name needs hiding: switches, empty values and references don't. */
export const canBeSecret = (value: string): boolean =>
  value.length > longestWord + 10 ||
  (!(value.length <= longestHarmless && harmlessValues.has(value.toLowerCase())) && !reference.test(value));

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const randomRun = /[A-Za-z0-9]{16,}/g;
/** The kinds of characters of which random text has several. */
const kinds = [/[A-Z]/, /[a-z]/, /\d/];

const isHexadecimal = (run: string): boolean =>
  run.length >= 32 && /^[0-9a-f]+$/i.test(run) && /\d/.test(run) && /[a-f]/i.test(run);
const isRandom = (run: string): boolean => isHexadecimal(run) || kinds.every((kind) => kind.test(run));

// Fingerprints look random, but are public.
const publicName = /(?:sha\d*|commit|hash|digest|revision|checksum|fingerprint|(?:^|[_-])id)$/i;

/** Whether a variable's value has the shape of a key, such as 16 or more mixed letters and digits in one run. */
export const looksLikeSecret = (name: string, value: string): boolean =>
  canBeSecret(value) &&
  !publicName.test(name) &&
  !uuid.test(value) &&
  !/\s/.test(value) &&
  (value.match(randomRun) ?? []).some(isRandom);

const locationLike = /^(?:\.{0,2}\/|[A-Z]:\\|[a-z][a-z\d+.-]*:\/\/|sha\d+:)|\.(?:pem|key|crt|json|ya?ml|txt)$/i;

/** Other characters of a random run, and their kind; those of `kinds` are a bit each. */
const marks = '_+/=-';
const markKind = 1 << kinds.length;

/** The kinds of the characters that a random run consists of, by their code. */
const kindOfCode = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  const kind = kinds.findIndex((one) => one.test(character));
  return kind !== -1 ? 1 << kind : marks.includes(character) ? markKind : 0;
});

const shortestRun = 16;

/** Whether the kinds have two of letters of both cases and digits. */
const areMixed = (found: number): boolean => {
  const ofKey = found & (markKind - 1);
  return (ofKey & (ofKey - 1)) !== 0;
};

/**
 * Whether a text has a run of letters, digits and marks that is hexadecimal, or has mixed kinds throughout: in random
 * text the kind of character changes at every second character, in words rarely.
 */
function hasRandomRun(text: string): boolean {
  let [start, found, last, changes] = [0, 0, 0, 0];
  for (let at = 0; at <= text.length; at += 1) {
    // Past the end it is NaN, whose kind is undefined.
    const kind = kindOfCode[text.charCodeAt(at)] ?? 0;
    if (kind !== 0) {
      if (last !== 0 && kind !== last) changes += 1;
      found |= kind;
    } else {
      const length = at - start;
      if (length >= shortestRun && areMixed(found) && (changes >= length / 3 || isHexadecimal(text.slice(start, at))))
        return true;
      start = at + 1;
      found = 0;
      changes = 0;
    }
    last = kind;
  }
  return false;
}

/** Characters of a value that are inspected: a random value is random from its start. */
const inspectedLength = 500;

/**
 * Whether a value looks like a generated key: one word of 16 characters or more, with mixed kinds throughout; not a
 * path, URL, digest or UUID.
 */
export function looksRandom(value: string): boolean {
  const text = value.slice(0, inspectedLength);
  return hasRandomRun(text) && !/\s/.test(text) && !locationLike.test(text) && !uuid.test(text);
}

/**
 * Creates a quick test of whether a part of a text may look random: whether it has characters of two kinds. Most of the
 * text is searched only once, however many parts of it overlap.
 */
export function mayBeRandomIn(text: string): (start: number, end: number) => boolean {
  let searches: { readonly pattern: RegExp; from: number; found: number }[] | undefined;
  return (start, end) => {
    searches ??= kinds.map((kind) => ({ pattern: new RegExp(kind, 'g'), from: 0, found: -1 }));
    let count = 0;
    for (const search of searches) {
      if (start < search.from || start > search.found) {
        search.pattern.lastIndex = start;
        search.from = start;
        search.found = search.pattern.test(text) ? search.pattern.lastIndex - 1 : text.length;
      }
      if (search.found < end) count += 1;
    }
    return count > 1;
  };
}

const evident = [
  /^[a-z][a-z\d+.-]{1,20}:\/\//i,
  /^[\^~<>=v]*\d+(?:\.\d+){1,3}(?:[-+][\w.-]{1,30})?$/,
  /^(?:\.{1,2}\/|\/(?:run|etc|var|app|home|tmp|mnt|opt|usr|secrets?)\/)[\w./-]*$/,
];

/** Whether a value by itself shows that it is an address, a version or a path. */
export const isEvident = (value: string): boolean => evident.some((form) => form.test(value));

const time = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d\S{0,20})?$/;

/** Whether a value is an id or a time, which occur next to secrets in lists and maps. */
export const isIdOrTime = (value: string): boolean => uuid.test(value) || time.test(value);

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that documentation, types and messages use in place of a secret. */
const placeholders = wordSet(
  'yes no on off required optional invalid missing expired incorrect wrong empty set unset unknown enabled disabled redacted hidden masked string str text bytes number integer int ' +
    'boolean bool object any read write include omit same-origin never ok failed denied revoked rejected accepted varchar char self xxxx xxxxx xxxxxx xxxxxxxx',
);

/** Words of ordinary sentences that follow a word such as "password". */
const sentenceWords = wordSet(
  'valid refreshed generated created updated deleted rotated found default password passwd secret token tokens key value option flag flags argument parameter this await new is was are the and or but not ' +
    'from for to of at in with has have had must should can will may a an it its that which when if unexpected error cannot failure see use using only between before after file stdin prompt input field changed ' +
    'reset unchanged mismatch expiring authentication authenticated unauthorized forbidden does did been be by your no than too user users name rotation policy request requests',
);

const isWordCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 42;

/** A word in lower case, without the punctuation around it. */
function bareWord(word: string): string {
  let [start, end] = [0, word.length];
  while (start < end && !isWordCharacter(word.charCodeAt(start))) start += 1;
  while (end > start && !isWordCharacter(word.charCodeAt(end - 1))) end -= 1;
  return word.slice(start, end).toLowerCase();
}

/** Placeholders for any value: <password>, %s, $1, [TOKEN], …, punctuation alone. */
const placeholderForm =
  /^(?:<[a-z][\w -]*>|\[[A-Z][A-Z_ ]*\]?|%[svq]|[$:]\d+|%\(\w+\)s|\.{3}|…|x{3,}|[^\p{L}\p{N}]+)[,;)]*$/iu;

/** Begins no such placeholder: a quick test, because most values begin like that. */
const ordinaryStart = /^[a-wyz\d]/i;

/** Whether a value is a type, a state or a placeholder, as in documentation and messages after a secret name. */
export const isPlaceholder = (value: string): boolean =>
  value.length <= 40 &&
  (placeholders.has(bareWord(value)) || (!ordinaryStart.test(value) && placeholderForm.test(value)));

/** Whether a word is a placeholder, or an ordinary word of prose after a secret name. */
export const isOrdinaryWord = (word: string): boolean =>
  isPlaceholder(word) || (word.length <= 40 && sentenceWords.has(bareWord(word)));

/** Maximum number of words of a text that are checked for prose. */
const proseWords = 40;

/** Whether a text of several words is prose: at least one is an ordinary word. */
export function isProse(text: string): boolean {
  const words = text.slice(0, 1000).split(/\s+/, proseWords);
  return words.length > 1 && words.some((word) => isOrdinaryWord(word) && /[a-z]/i.test(word));
}

// Expressions that code assigns to a variable: a call, a member, an index.
const expression =
  /^(?:\$\(|[A-Za-z_$][\w$.]{0,100}(?:\(|\[["'\w])|[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){2,10}$|(?:self|this|process|os|req|config|settings|params|args|options|props|data|var|local|module|secrets|env|input|cfg|conf|opts|state|ctx|request|response|res|user|auth)\.[A-Za-z_])/;

/** Whether a value is an expression of code, not a literal. */
export const isExpression = (value: string): boolean => expression.test(value);

const version = /^v?\d+(?:\.\d+)+\S{0,20}$/;

/**
 * Whether a word contains digits, as words of prose don't: six characters or more, not a version. Words too long for
 * prose count too.
 */
export const isMixed = (word: string): boolean =>
  word.length > longestWord || (word.length >= 6 && /\d/.test(word) && !version.test(word));
