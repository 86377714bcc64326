import type { LineBounds } from './line-bounds.ts';

/** A name before a separator, and where it stands. */
export interface AssignedName {
  readonly name: string;
  /** Where it begins, its quote included. */
  readonly start: number;
  /** The quote around it; none where it is bare. */
  readonly quote: string;
  /** The character before it. */
  readonly before: string;
  /** The character before it that is no space, on the same line. */
  readonly beforeSpaces: string;
  /** `=`, `:` or `>`. */
  readonly separator: string;
  /** Where the value may begin: behind the separator. */
  readonly valueAt: number;
  /** Whether it is the first thing of its line, list marks and words such as `export` aside; the line may end by `\n` written out. */
  readonly line: 'own' | 'written out' | undefined;
}

const longestName = 64;
const mostSpaces = 5;
const mostSlashes = 7;

/** Longest indentation, in characters. */
const longestIndent = 200;

const isNameCode = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 45 || code === 46;

const isSpace = (char: string | undefined): boolean => char === ' ' || char === '\t';

const lineStart = /^[\s\-+>#*|]*(?:(?:export|set|setx|env|declare|ENV|ARG|local)[ \t]+)?$/;

function lineOf(text: string, start: number, lines: LineBounds): AssignedName['line'] {
  const from = lines.startOf(start);
  const near = text.slice(Math.max(from, start - longestIndent), start);
  if (start - from <= longestIndent && lineStart.test(near)) return 'own';
  const written = near.lastIndexOf(String.raw`\n`);
  return written !== -1 && lineStart.test(near.slice(written + 2)) ? 'written out' : undefined;
}

/** The end of the separator at `at`; undefined where what stands there separates nothing. */
function separatorEnd(text: string, at: number): number | undefined {
  const [char, next] = [text[at], text[at + 1]];
  if (char === ':') return next === ':' ? undefined : at + (next === '=' ? 2 : 1);
  if (char === '=') return at + (next === '>' || next === '=' ? (text[at + 2] === '=' ? 3 : 2) : 1);
  return at + 1;
}

/**
 * The member whose separator stands at `at`; undefined where there is none, or where its name can't be of interest.
 * @param done what is before this place was read: no name begins before it.
 * @param hint what a name of interest holds.
 */
export function assignedNameAt(text: string, at: number, done: number, hint: RegExp, lines: LineBounds): AssignedName | undefined {
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
  // The letter of an escape that is written out, before the name: \\nAuthorization.
  if (text[start - 1] === '\\' && quote === '' && /[nrt]/.test(text[start] ?? '') && hint.test(text.slice(start + 1, end))) start += 1;
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
    name: name.replace(/^[-.]+/, ''), start, quote, before: text[start - 1] ?? '', beforeSpaces: text[before - 1] ?? '', separator: text[at]!, valueAt, line: lineOf(text, start, lines),
  };
}
