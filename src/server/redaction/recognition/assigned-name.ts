import type { LineBounds } from './spans.ts';

/** A name before a separator, and its position. */
export interface AssignedName<Meaning = unknown> {
  readonly name: string;
  /** What the name tells of its value. */
  readonly meaning: Meaning;
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
  /** Where the separator is. */
  readonly at: number;
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

const isMarkCode = (code: number): boolean => code === hyphen || code === dot;

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

const [equals, colon, greater, hyphen, dot] = [0x3d, 0x3a, 0x3e, 0x2d, 0x2e];

/**
 * Creates a reader of the separators of a text that have a match of `hint` near before them: other text is only
 * searched for the hint. Positions may only increase.
 */
function separatorReader(text: string, hint: RegExp) {
  const search = new RegExp(hint.source, `${hint.flags}g`);
  let last = -1;
  let next = -1;
  return {
    /** The position of the first such separator at or after `from`; -1 if there is none. */
    from: (from: number): number => {
      for (let at = from; ; at = next + 1) {
        while (next < at && next < text.length) {
          last = next;
          next = search.test(text) ? search.lastIndex - 1 : text.length;
        }
        const farthest = last === -1 ? -1 : Math.min(next - 1, last + farthestName);
        for (let one = at; one <= farthest; one += 1) {
          const code = text.charCodeAt(one);
          if (code === equals || code === colon || code === greater) return one;
        }
        if (next === text.length) return -1;
      }
    },
    /** The end of the last match before the separator that was found last. */
    lastHint: (): number => last,
  };
}

/**
 * Creates a function that reads the names of interest of a text in turn, with what follows their separators.
 * @param hint matches some letters of every name of interest.
 * @param meaningOf what a name tells of its value; null if the name is of no interest.
 * @returns a function that gives the first name whose separator is at `from` or later; undefined if there is none. No
 *   name starts before `done`. Both may only increase.
 */
export function nameReader<Meaning extends object>(
  text: string,
  hint: RegExp,
  lines: LineBounds,
  meaningOf: (name: string) => Meaning | null,
): (from: number, done: number) => AssignedName<Meaning> | undefined {
  const lineOf = lineReader(text, lines);
  const separators = separatorReader(text, hint);
  const nameAt = (at: number, done: number): AssignedName<Meaning> | undefined => {
    const lastHint = separators.lastHint();
    if (lastHint < done) return undefined;
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
    if (isCut && !hint.test(text.slice(start, end))) return undefined;
    const valueAt = separatorEnd(text, at);
    if (valueAt === undefined) return undefined;
    let first = start;
    while (first < end && isMarkCode(text.charCodeAt(first))) first += 1;
    const name = text.slice(first, end);
    const meaning = meaningOf(name);
    if (meaning === null) return undefined;
    if (quote !== '') {
      if (text.slice(start - quote.length, start) !== quote) return undefined;
      start -= quote.length;
    }
    let before = start;
    while (isSpaceCode(text.charCodeAt(before - 1)) && start - before < longestIndent) before -= 1;
    return {
      name,
      meaning,
      start,
      quote,
      before: text[start - 1] ?? '',
      beforeSpaces: text[before - 1] ?? '',
      separator: text[at]!,
      at,
      valueAt,
      line: lineOf(start),
    };
  };
  return (from, done) => {
    for (let at = separators.from(from); at !== -1; at = separators.from(at + 1)) {
      const member = nameAt(at, done);
      if (member) return member;
    }
    return undefined;
  };
}
