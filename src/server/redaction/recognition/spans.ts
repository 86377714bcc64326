import { maskPatternSource } from '../../../client/secret-masking.ts';
import { hiddenSecret } from '../../../contract/primitives.ts';

/** A part of a text that is a secret: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds secrets of one form in a text, in time linear in its length. Spans may overlap and stand in any order. */
export type Recognizer = (text: string) => readonly Span[];

const wholeMark = new RegExp(`^${maskPatternSource}$`);
const markHere = new RegExp(maskPatternSource, 'y');

/** Longest text that can be a mark, in characters. */
const longestMark = 42;

/** Whether a text is what stands for a hidden secret, and nothing else. */
export const isMark = (text: string): boolean => text.length <= longestMark && wholeMark.test(text);

/** Where the mark that begins at `at` ends; undefined where none begins. */
export function markEnd(text: string, at: number): number | undefined {
  if (text[at] !== '[') return undefined;
  markHere.lastIndex = at;
  return markHere.test(text) ? markHere.lastIndex : undefined;
}

/** The spans in their order, those that overlap as one. */
function mergeSpans(spans: readonly Span[]): Span[] {
  const together: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = together.at(-1);
    if (last && span.start < last.end) together[together.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    else if (span.end > span.start) together.push(span);
  }
  return together;
}

/** The text with a mark in place of every span. A span that is a mark already stays as it is. */
export function hideSpans(text: string, spans: readonly Span[]): string {
  const parts: string[] = [];
  let shown = 0;
  for (const { start, end } of mergeSpans(spans)) {
    const found = text.slice(start, end);
    parts.push(text.slice(shown, start), isMark(found) ? found : hiddenSecret);
    shown = end;
  }
  parts.push(text.slice(shown));
  return parts.join('');
}
