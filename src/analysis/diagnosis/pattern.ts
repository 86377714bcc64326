import { RE2JS } from 're2js';

/** A regular expression that takes time in proportion to the text, whoever wrote the text. */
export interface Pattern {
  /** The named groups of its first match, without those that took no part; undefined when nothing matches. */
  readonly match: (text: string) => Readonly<Record<string, string>> | undefined;
}

const repeats = /^(?:[*?]|\{0,?)/;

// A group without a choice and without another within, that must match.
const plainGroup = /(?<!\\)\((?:\?<\w+>|\?:)?((?:[^()|?\\]|\\[^()|])(?:[^()|\\]|\\[^()|])*)\)(?![*?{])/g;

/**
 * The longest text that whatever matches the expression must hold; empty where there is none. Of groups, only plain
 * ones are looked into.
 */
export function requiredText(expression: string): string {
  const source = expression.replace(plainGroup, '$1');
  const runs = [''];
  let depth = 0;
  for (let place = 0; place < source.length; place += 1) {
    const char = source[place] ?? '';
    if (char === '\\') place += 1;
    const escaped = char === '\\' ? (source[place] ?? '') : '';
    if (char === '[') while (place + 1 < source.length && source[place] !== ']') place += source[place] === '\\' ? 2 : 1;
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (char === '|' && depth === 0) return '';
    const literal = char === '\\' ? (/\w/.test(escaped) ? '' : escaped) : /[\^$.*+?{}()[\]|]/.test(char) ? '' : char;
    const isPlain = depth === 0 && literal !== '';
    if (isPlain && !repeats.test(source.slice(place + 1))) runs.push((runs.pop() ?? '') + literal);
    else if (depth > 0 || !isPlain || runs.at(-1) !== '') runs.push('');
    if (char === '{') place = Math.max(place, source.indexOf('}', place));
  }
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '');
}

const groupNames = (source: string): string[] => [...source.matchAll(/\(\?<(\w+)>/g)].map((group) => group[1] ?? '');

/** Makes a pattern of an expression without flags. It is compiled when a text first holds what it requires. */
export function toPattern({ source }: RegExp): Pattern {
  const required = requiredText(source);
  const names = groupNames(source);
  let compiled: RE2JS | undefined;
  return {
    match: (text) => {
      if (!text.includes(required)) return undefined;
      compiled ??= RE2JS.compile(RE2JS.translateRegExp(source));
      // The test runs on an automaton; only a match's groups need the slower engine.
      if (!compiled.test(text)) return undefined;
      const matcher = compiled.matcher(text);
      if (!matcher.find()) return undefined;
      return Object.fromEntries(names.flatMap((name) => {
        const value = matcher.group(name);
        return value ? [[name, value]] : [];
      }));
    },
  };
}
