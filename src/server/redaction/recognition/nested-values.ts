import { isMark } from '../marks.ts';
import { markEnd, type Span } from './spans.ts';
import { afterSpaces, quotedAt, type Scalar } from './scalar-values.ts';
import { remembered } from './remembered.ts';
import { describesSecret, isSecretName } from './secret-names.ts';
import { canBeSecret, isEvident, isIdOrTime, isMixed, isOrdinaryWord, isPlaceholder } from './secret-values.ts';

/** Recognises the values in a list or map under a secret name: `tokens: [...]`, `passwords: {main: ...}`. */

/**
 * The kind of values that the name of a list or map suggests: passwords, which may be plain words, or other secrets.
 */
export type NestedKind = 'passwords' | 'others';

const passwords = /passw|passphrase|passcode|pwd/i;

const kindOf = remembered((name): NestedKind | null =>
  isSecretName(name) ? (passwords.test(name) ? 'passwords' : 'others') : null,
);

/** The kind of values that a name suggests for a list or map; undefined if it suggests none. */
export const nestedKindOf = (name: string): NestedKind | undefined => kindOf(name) ?? undefined;

const isNumber = (value: string): boolean => /^-?\d+(?:\.\d+)?$/.test(value);
const shortestNumber = 4;

/**
 * Whether a value in a list or map is a secret. Names of secrets and their metadata are not.
 * @param member its own name in a map; undefined in a list
 */
export function isNestedSecret(kind: NestedKind, member: string | undefined, value: string): boolean {
  if (!canBeSecret(value) || isPlaceholder(value)) return false;
  if (isMark(value)) return true;
  if (isEvident(value) || isIdOrTime(value)) return false;
  if (member !== undefined && isSecretName(member, value)) return true;
  if (member !== undefined && describesSecret(member)) return false;
  // Counts and ids of tokens are numbers as well.
  if (isNumber(value)) return kind === 'passwords' && value.length >= shortestNumber;
  return kind === 'passwords' ? !isOrdinaryWord(value) : isMixed(value) && !/\s/.test(value);
}

/** Members of the rows of a list that hold a secret if the name of the list suggests secrets. */
const carriers = /^(?:value|secret|token|password|plain(?:text)?|data|content|text)s?$/i;

/** Whether a member of a row holds the row's secret, by its name. */
export const isCarrier = (member: string): boolean => carriers.test(member);

/** The maximum length of a list or map that is read, in characters, and its maximum depth. */
const farthest = 2000;
const deepest = 3;

const blanks = /[ \t\r\n]*/y;
const skipBlanks = (text: string, at: number): number => {
  blanks.lastIndex = at;
  blanks.test(text);
  return blanks.lastIndex;
};

const bareWord = /[^\s,:[\]{}"'`<>#\\]+/y;

function scalarAt(text: string, at: number, limit: number): Scalar | undefined {
  const quoted = quotedAt(text, at, limit);
  if (quoted) return quoted.after > quoted.end ? quoted : undefined;
  const mark = markEnd(text, at);
  if (mark !== undefined) return { start: at, end: mark, after: mark, quoted: false };
  bareWord.lastIndex = at;
  return bareWord.test(text)
    ? { start: at, end: bareWord.lastIndex, after: bareWord.lastIndex, quoted: false }
    : undefined;
}

/**
 * The secrets in the list or map that starts at `at`, in JSON or YAML; it may be cut off. Undefined if there is none
 * that can be parsed. Other recognizers find the members of maps in a list.
 */
export function nestedSpans(text: string, at: number, kind: NestedKind): readonly Span[] | undefined {
  if ((text[at] !== '[' && text[at] !== '{') || markEnd(text, at) !== undefined || text[at + 1] === text[at])
    return undefined;
  const limit = Math.min(text.length, at + farthest);
  const spans: Span[] = [];
  /**
   * Reads from an opening bracket.
   * @returns the position after the closing one; undefined if the content can't be parsed.
   */
  const read = (opening: number, depth: number): number | undefined => {
    const isMap = text[opening] === '{';
    let next = skipBlanks(text, opening + 1);
    while (next < limit) {
      if (text[next] === (isMap ? '}' : ']')) return next + 1;
      let member: string | undefined;
      if (isMap) {
        const name = scalarAt(text, next, limit);
        const colon = name && afterSpaces(text, name.after);
        if (!name || text[colon!] !== ':') return undefined;
        member = text.slice(name.start, name.end);
        next = skipBlanks(text, colon! + 1);
      }
      const isNested = markEnd(text, next) === undefined && (text[next] === '[' || (isMap && text[next] === '{'));
      if (isNested) {
        if (depth === deepest) return undefined;
        const after = read(next, depth + 1);
        if (after === undefined) return undefined;
        next = after;
      } else {
        const value = scalarAt(text, next, limit);
        if (!value) return undefined;
        if (isNestedSecret(kind, member, text.slice(value.start, value.end)))
          spans.push({ start: value.start, end: value.end });
        next = value.after;
      }
      next = skipBlanks(text, next);
      if (text[next] === ',') next = skipBlanks(text, next + 1);
      else if (text[next] !== (isMap ? '}' : ']')) return undefined;
    }
    return undefined;
  };
  return read(at, 1) === undefined && spans.length === 0 ? undefined : spans;
}

const memberLine =
  /^(?<indent>[ \t]*)(?<name>[\w.-]{1,64}):[ \t]+(?<quote>["']?)(?<value>[^\s"'#|>&*!{[](?:[^\s"']{0,198}))\k<quote>[ \t]*(?:#.*)?$/;

/**
 * The secrets in the YAML map below the line that ends at `lineEnd`: on the lines with a name and one word, indented
 * deeper than the key at `column`.
 */
export function mapBelow(text: string, lineEnd: number, column: number, kind: NestedKind): readonly Span[] {
  const spans: Span[] = [];
  for (let at = lineEnd + 1; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(at, Math.min(end, at + 400));
    const { indent = '', name = '', quote = '', value = '' } = memberLine.exec(line)?.groups ?? {};
    if (name === '' || indent.length <= column) return spans;
    const start = at + line.indexOf(quote + value, indent.length + name.length + 1) + quote.length;
    if (isNestedSecret(kind, name, value)) spans.push({ start, end: start + value.length });
    at = end + 1;
  }
  return spans;
}
