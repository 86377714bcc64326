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

const isSpace = (char: string | undefined): boolean => char === ' ' || char === '\t';

const lineStart = /^[\s\-+>#*|]*(?:(?:export|set|setx|env|declare|ENV|ARG|local)[ \t]+)?$/;

function lineOf(text: string, start: number, lines: LineBounds): AssignedName['line'] {
  const from = lines.startOf(start);
  const textBefore = text.slice(Math.max(from, start - longestIndent), start);
  if (start - from <= longestIndent && lineStart.test(textBefore)) return 'own';
  const escapedBreak = textBefore.lastIndexOf(String.raw`\n`);
  return escapedBreak !== -1 && lineStart.test(textBefore.slice(escapedBreak + 2)) ? 'escaped' : undefined;
}

/** The end of the separator at `at`; undefined if it doesn't separate a name from a value, such as `::`. */
function separatorEnd(text: string, at: number): number | undefined {
  const [char, next] = [text[at], text[at + 1]];
  if (char === ':') return next === ':' ? undefined : at + (next === '=' ? 2 : 1);
  if (char === '=') return at + (next === '>' || next === '=' ? (text[at + 2] === '=' ? 3 : 2) : 1);
  return at + 1;
}

/**
 * The name whose separator is at `at`; undefined if there is none, or if the name doesn't match `hint`.
 * @param done the end of the text already read: no name starts before it.
 * @param hint matches names of interest.
 */
export function assignedNameAt(
  text: string,
  at: number,
  done: number,
  hint: RegExp,
  lines: LineBounds,
): AssignedName | undefined {
  let end = at;
  while (isSpace(text[end - 1]) && at - end < mostSpaces) end -= 1;
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
  if (start === end) return undefined;
  const name = text.slice(start, end);
  if (!hint.test(name)) return undefined;
  const valueAt = separatorEnd(text, at);
  if (valueAt === undefined) return undefined;
  if (quote !== '') {
    if (text.slice(start - quote.length, start) !== quote) return undefined;
    start -= quote.length;
  }
  let before = start;
  while (isSpace(text[before - 1]) && start - before < longestIndent) before -= 1;
  return {
    name: name.replace(/^[-.]+/, ''),
    start,
    quote,
    before: text[start - 1] ?? '',
    beforeSpaces: text[before - 1] ?? '',
    separator: text[at]!,
    valueAt,
    line: lineOf(text, start, lines),
  };
}
