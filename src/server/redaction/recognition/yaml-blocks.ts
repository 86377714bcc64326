import { hiddenStart } from '../../../contract/index.ts';
import type { Span } from './spans.ts';
import { canBeSecret, isMixed, isPlaceholder, isProse } from './secret-values.ts';

/** Recognises YAML values on the lines below their key. */

interface YamlLine {
  readonly start: number;
  readonly end: number;
  readonly indent: number;
  readonly isBlank: boolean;
}

const indentation = /[ \t]*/y;

function lineAt(text: string, start: number): YamlLine {
  indentation.lastIndex = start;
  indentation.test(text);
  const next = text.indexOf('\n', start);
  const end = next === -1 ? text.length : next;
  return { start, end, indent: indentation.lastIndex - start, isBlank: indentation.lastIndex >= end };
}

/** The start of a block value: `|`, `>-`, `|2+`. */
export const blockMark = /^[|>][-+\d]{0,2}[ \t]*(?:#.*)?$/;

/**
 * The lines of a block below the line that ends at `lineEnd`: all that are indented deeper than the key at `column`.
 * Undefined if there are none.
 */
export function blockBelow(text: string, lineEnd: number, column: number): Span | undefined {
  let span: Span | undefined;
  for (let at = lineEnd + 1; at < text.length;) {
    const line = lineAt(text, at);
    if (!line.isBlank && line.indent <= column) break;
    if (!line.isBlank) span = { start: span?.start ?? line.start + line.indent, end: line.end };
    at = line.end + 1;
  }
  return span;
}

const isScalar = (value: string): boolean =>
  !/^[-{[#|>&!*]|:(?:\s|$)/.test(value) && canBeSecret(value) && !isPlaceholder(value) && !isProse(value);
const item = /^-[ \t]+/;

/** Maximum length of a line that can be a value, in characters. */
const longestLine = 1000;

/** The plain value on the line below a key, or the items of a list there, without plain words. */
export function valuesBelow(text: string, lineEnd: number, column: number): Span[] {
  const spans: Span[] = [];
  for (let at = lineEnd + 1; at < text.length;) {
    const line = lineAt(text, at);
    const value = text
      .slice(line.start + line.indent, Math.min(line.end, line.start + line.indent + longestLine))
      .trimEnd();
    const bullet = item.exec(value)?.[0].length ?? 0;
    if (line.isBlank || line.indent < column + (bullet === 0 ? 1 : 0) || !isScalar(value.slice(bullet))) break;
    const start = line.start + line.indent + bullet;
    if (bullet === 0) return spans.length === 0 ? [{ start, end: start + value.length }] : spans;
    if (isMixed(value.slice(bullet)) || value.slice(bullet).startsWith(hiddenStart))
      spans.push({ start, end: start + value.length - bullet });
    at = line.end + 1;
  }
  return spans;
}
