import type { LineBounds } from './spans.ts';

/** A name before a separator, and its position. */
export interface AssignedName {
  readonly name: string;
  /** Its start, including the quote. */
  readonly start: number;
  /** The quote around it; empty if it is bare. */
  readonly quote: string;
  /** The character before it. */
  readonly before: string;
  /** The last character before it that is neither a space nor a tab, within the longest indentation. */
  readonly beforeSpaces: string;
  /** `=`, `:` or `>`. */
  readonly separator: string;
  /** Where the value can start: after the separator. */
  readonly valueAt: number;
  /**
   * Set if it is the first on its line, apart from list marks and words such as `export`: `escaped` if the line break
   * before it is a literal `\n`.
   */
  readonly line: 'own' | 'escaped' | undefined;
}

const longestName = 64;
const mostSpaces = 5;
const mostSlashes = 7;

/** Maximum indentation, in characters. */
const longestIndent = 200;

const isNameCode = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46;

const isSpaceCode = (code: number): boolean => code === 32 || code === 9;

/** Characters before the first name of a line: indentation, and marks of lists, quotes and differences. */
const leading = /[\s\-+>#*|]*/y;
const command = /(?:export|set|setx|env|declare|ENV|ARG|local)[ \t]+/y;

const endAt = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
};

/** Whether only list marks and a word such as `export` are between two places of a text. */
function isLeading(text: string, from: number, to: number): boolean {
  const end = endAt(leading, text, from);
  return end >= to || endAt(command, text, end) === to;
}

const escapedBreak = String.raw`\n`;

/** Creates a function that tells how the name at `start` is first on its line. Positions may only increase. */
function lineReader(text: string, lines: LineBounds): (start: number) => AssignedName['line'] {
  let [last, next] = [-1, text.indexOf(escapedBreak)];
  return (start) => {
    const from = lines.startOf(start);
    if (start - from <= longestIndent && isLeading(text, from, start)) return 'own';
    while (next !== -1 && next + escapedBreak.length <= start) {
      last = next;
      next = text.indexOf(escapedBreak, next + 1);
    }
    return last >= Math.max(from, start - longestIndent) && isLeading(text, last + escapedBreak.length, start)
      ? 'escaped'
      : undefined;
  };
}

/** The end of the separator at `at`; undefined if it doesn't separate a name from a value, such as `::`. */
function separatorEnd(text: string, at: number): number | undefined {
  const [char, next] = [text[at], text[at + 1]];
  if (char === ':') return next === ':' ? undefined : at + (next === '=' ? 2 : 1);
  if (char === '=') return at + (next === '>' || next === '=' ? (text[at + 2] === '=' ? 3 : 2) : 1);
  return at + 1;
}

/** Maximum distance from a separator to the start of the name before it. */
const farthestName = longestName + mostSpaces + mostSlashes + 3;

/**
 * Creates a function that tells whether a part of a text before a separator contains a match of `hint`, in one pass
 * over the text. Positions may only increase.
 */
function hintFinder(text: string, hint: RegExp) {
  const search = new RegExp(hint.source, `${hint.flags}g`);
  let last = -1;
  let next = -1;
  return {
    /** The start of the last match before `at`; -1 if there is none. */
    lastBefore: (at: number): number => {
      while (next < at) {
        last = next;
        next = search.test(text) ? search.lastIndex - 1 : text.length;
      }
      return last;
    },
  };
}

/**
 * Creates a function that reads the name whose separator is at `at`. It gives undefined if there is none, or if it
 * doesn't contain a match of `hint`. Positions may only increase.
 * @param hint matches some letters of names of interest.
 * @returns a function with a second parameter, the end of the text already read: no name starts before it.
 */
export function nameReader(
  text: string,
  hint: RegExp,
  lines: LineBounds,
): (at: number, done: number) => AssignedName | undefined {
  const lineOf = lineReader(text, lines);
  const hints = hintFinder(text, hint);
  return (at, done) => {
    // The end of the last match: names without one, which are most, are not read.
    const lastHint = hints.lastBefore(at);
    if (lastHint < at - farthestName) return undefined;
    let end = at;
    while (isSpaceCode(text.charCodeAt(end - 1)) && at - end < mostSpaces) end -= 1;
    if (text[end - 1] === ']') end -= 1;
    let quote = text[end - 1] === '"' || text[end - 1] === "'" ? text[end - 1]! : '';
    if (quote !== '') {
      end -= 1;
      while (text[end - 1] === '\\' && quote.length <= mostSlashes) {
        quote = `\\${quote}`;
        end -= 1;
      }
    }
    if (lastHint < done) return undefined;
    let start = end;
    while (start > done && end - start < longestName && isNameCode(text.charCodeAt(start - 1))) start -= 1;
    // Skips the letter of a literal escape before the name: \\nAuthorization.
    if (
      text[start - 1] === '\\' &&
      quote === '' &&
      /[nrt]/.test(text[start] ?? '') &&
      hint.test(text.slice(start + 1, end))
    )
      start += 1;
    if (start === end || lastHint < start) return undefined;
    const isCut = isNameCode(text.charCodeAt(start - 1));
    const name = text.slice(start, end);
    if (isCut && !hint.test(name)) return undefined;
    const valueAt = separatorEnd(text, at);
    if (valueAt === undefined) return undefined;
    if (quote !== '') {
      if (text.slice(start - quote.length, start) !== quote) return undefined;
      start -= quote.length;
    }
    let before = start;
    while (isSpaceCode(text.charCodeAt(before - 1)) && start - before < longestIndent) before -= 1;
    return {
      name: name.replace(/^[-.]+/, ''),
      start,
      quote,
      before: text[start - 1] ?? '',
      beforeSpaces: text[before - 1] ?? '',
      separator: text[at]!,
      valueAt,
      line: lineOf(start),
    };
  };
}
