import { markEnd } from './spans.ts';

/** The position of a value in a text: from `start` up to `end`, without its quotes. */
export interface Scalar {
  readonly start: number;
  readonly end: number;
  /** Where reading continues: after the closing quote. */
  readonly after: number;
  readonly quoted: boolean;
}

// Quotes as JSON, shells and languages write them: after a prefix, escaped with backslashes inside other quotes.
const prefixLetters = new Set(Array.from('bBrRuUfFN', (char) => char.charCodeAt(0)));
const mostPrefixLetters = 2;
const mostSlashes = 7;

const [backslash, doubleQuote, singleQuote, backtick] = [0x5c, 0x22, 0x27, 0x60];

const isQuote = (code: number): boolean => code === doubleQuote || code === singleQuote || code === backtick;

/** Whether a quoted value can start with this character. */
export const canOpen = (code: number): boolean => isQuote(code) || code === backslash || prefixLetters.has(code);

/** The end of a quoted value whose content starts at `from`; `limit` if it isn't closed before. */
function closingAt(text: string, from: number, limit: number, slashes: string, quote: string): number {
  if (slashes !== '') {
    const closing = text.indexOf(slashes + quote, from);
    return closing === -1 || closing > limit ? limit : closing;
  }
  const closing = quote.charCodeAt(0);
  for (let at = from; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === closing) {
      // Doubled: YAML and SQL write a quote within quotes this way.
      if (quote === "'" && at > from && text[at + 1] === quote) at += 1;
      else return at;
    }
  }
  return limit;
}

/**
 * The quoted value that starts at `at`; undefined if there is no quote.
 * @param limit the end of the line: an unclosed value ends there.
 */
export function quotedAt(text: string, at: number, limit: number): Scalar | undefined {
  let from = at;
  while (from - at < mostPrefixLetters && prefixLetters.has(text.charCodeAt(from))) from += 1;
  let opening = from;
  while (opening - from < mostSlashes && text.charCodeAt(opening) === backslash) opening += 1;
  if (!isQuote(text.charCodeAt(opening))) return undefined;
  const slashes = opening === from ? '' : text.slice(from, opening);
  const quote = text[opening]!;
  const start = opening + 1;
  if (start > limit) return undefined;
  const end = closingAt(text, start, limit, slashes, quote);
  return { start, end, after: Math.min(limit, end + slashes.length + quote.length), quoted: true };
}

/**
 * Reads an unquoted value from `at` to the first match of `ends`, or to `limit`. A mark at its start is skipped as a
 * whole.
 */
export type ReadBare = (at: number, limit: number, ends: RegExp) => Scalar;

/**
 * Creates a reader of one text. It caches the last match of each pattern, so that the text up to it is searched only
 * once, however many values are read before it.
 */
export function bareReader(text: string): ReadBare {
  const searches = new Map<RegExp, { readonly pattern: RegExp; from: number; found: number }>();
  const firstFrom = (at: number, ends: RegExp): number => {
    const search = searches.get(ends) ?? { pattern: new RegExp(ends.source, `${ends.flags}g`), from: 0, found: -1 };
    searches.set(ends, search);
    if (at >= search.from && at <= search.found) return search.found;
    search.pattern.lastIndex = at;
    search.from = at;
    search.found = search.pattern.exec(text)?.index ?? text.length;
    return search.found;
  };
  return (at, limit, ends) => {
    const from = markEnd(text, at) ?? at;
    const end = Math.max(from, Math.min(limit, firstFrom(from, ends)));
    return { start: at, end, after: end, quoted: false };
  };
}

/** The position of the first character from `at` that is neither a space nor a tab. */
export function afterSpaces(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end += 1;
  return end;
}
