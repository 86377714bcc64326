import { RE2JS } from 're2js';

/** A regular expression that matches in linear time, even against hostile text. */
export interface Pattern {
  /** The named groups of the first match, without empty ones; undefined if nothing matches. */
  readonly match: (text: string) => Readonly<Record<string, string>> | undefined;
}

const repeats = /^(?:[*?]|\{0,?)/;

// A required group without alternatives and nested groups.
const plainGroup = /(?<!\\)\((?:\?<\w+>|\?:)?((?:[^()|?\\]|\\[^()|])(?:[^()|\\]|\\[^()|])*)\)(?![*?{])/g;

/**
 * The longest literal text that every match of the expression must contain; empty if there is none. Looks only into plain
 * groups.
 */
export function requiredText(expression: string): string {
  const source = expression.replace(plainGroup, '$1');
  const runs = [''];
  let depth = 0;
  for (let index = 0; index < source.length; index += 1) {
    const char = source[index] ?? '';
    if (char === '\\') index += 1;
    const escaped = char === '\\' ? (source[index] ?? '') : '';
    if (char === '[') while (index + 1 < source.length && source[index] !== ']') index += source[index] === '\\' ? 2 : 1;
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (char === '|' && depth === 0) return '';
    const literal = char === '\\' ? (/\w/.test(escaped) ? '' : escaped) : /[\^$.*+?{}()[\]|]/.test(char) ? '' : char;
    const isPlain = depth === 0 && literal !== '';
    if (isPlain && !repeats.test(source.slice(index + 1))) runs.push((runs.pop() ?? '') + literal);
    else if (depth > 0 || !isPlain || runs.at(-1) !== '') runs.push('');
    if (char === '{') index = Math.max(index, source.indexOf('}', index));
  }
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '');
}

const groupNames = (source: string): string[] => [...source.matchAll(/\(\?<(\w+)>/g)].map((group) => group[1] ?? '');

/** Creates a pattern from an expression without flags. It is compiled when a text first contains its required text. */
export function toPattern({ source }: RegExp): Pattern {
  const required = requiredText(source);
  const names = groupNames(source);
  let compiled: RE2JS | undefined;
  return {
    match: (text) => {
      if (!text.includes(required)) return undefined;
      compiled ??= RE2JS.compile(RE2JS.translateRegExp(source));
      // `test` runs on an automaton; only capturing groups needs the slower engine.
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
