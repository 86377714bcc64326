import { VariableRequest } from '../../src/contract/index.ts';

/**
 * Reads .env text as Docker Compose and dotenv do where they agree, and takes what only one of them reads. Nothing is
 * shortened: a `#` starts a comment only after a space, and what is ambiguous is a problem. docs/env-text.md compares
 * the three.
 */

/** A line that is no variable, by its number, which starts at 1. */
export interface EnvTextProblem {
  readonly line: number;
  readonly problem:
    | 'no variable'
    | 'no name of a variable'
    | 'no closing quote'
    | 'text after the closing quote'
    | 'a NUL character';
}

/** The variables of .env text, and the lines that could not be read. */
export interface EnvText {
  /** By key, in their order. A key that is given twice has its last value. */
  readonly variables: ReadonlyMap<string, string>;
  readonly problems: readonly EnvTextProblem[];
}

/** A key with its `=`, and the first sign of its value, which stays to be read. */
const start = /[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=(?=[ \t]*([^]?))/y;
const blank = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
const endOfLine = /(?:[ \t]+#[^\n]*|[ \t]*)(?:\n|$)/y;
const restOfLine = /[^\n]*(?:\n|$)/y;
const quotes: Readonly<Record<string, RegExp>> = {
  '"': /[ \t]*"((?:\\[^]|[^"\\])*)"/y,
  "'": /[ \t]*'((?:[^'\\]|\\'|\\(?!'))*)'/y,
  '`': /[ \t]*`([^`]*)`/y,
};

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

/** Resolves the escapes of double quotes. An unknown one stays as it is. */
const unescaped = (text: string): string => text.replaceAll(/\\([^])/g, (whole, letter) => escapes[letter] ?? whole);

/** The value between quotes. Only double quotes have escapes; a quote can also be escaped in single ones. */
const quotedValue = (quote: string, text: string): string =>
  quote === '"' ? unescaped(text) : quote === "'" ? text.replaceAll(String.raw`\'`, "'") : text;

/** The value without quotes in the text after `=`: a comment needs a space before it. */
const plainValue = (line: string): string => line.replace(/[ \t]#.*/, '').trim();

const isKey = (text: string): boolean => VariableRequest.shape.key.safeParse(text).success;

/** Reads .env text. A byte order mark at its start and line ends of Windows are skipped. */
export function readEnvText(text: string): EnvText {
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const variables = new Map<string, string>();
  const problems: EnvTextProblem[] = [];
  let at = 0;
  let line = 1;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found === null) return null;
    at = pattern.lastIndex;
    line += found[0].split('\n').length - 1;
    return found;
  };
  const set = (key: string, value: string, here: number): void => {
    if (!isKey(key)) problems.push({ line: here, problem: 'no name of a variable' });
    else if (value.includes('\0')) problems.push({ line: here, problem: 'a NUL character' });
    else variables.set(key, value);
  };
  while (at < source.length) {
    if (take(blank)) continue;
    const here = line;
    const [, key, sign = ''] = take(start) ?? [];
    if (key === undefined) {
      problems.push({ line: here, problem: 'no variable' });
      take(restOfLine);
      continue;
    }
    const pattern = Object.hasOwn(quotes, sign) ? quotes[sign] : undefined;
    if (pattern === undefined) {
      set(key, plainValue(take(restOfLine)![0]), here);
      continue;
    }
    const quoted = take(pattern)?.[1];
    if (quoted === undefined) problems.push({ line: here, problem: 'no closing quote' });
    else set(key, quotedValue(sign, quoted), here);
    if (take(endOfLine)) continue;
    if (quoted !== undefined) problems.push({ line: here, problem: 'text after the closing quote' });
    take(restOfLine);
  }
  return { variables, problems };
}
