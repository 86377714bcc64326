import { hiddenSecret, maskPatternSource } from '../../../contract/index.ts';
import { isMark } from '../marks.ts';

/** The bounds of the lines of a text. Positions may only increase, so that each line is searched once. */
export interface LineBounds {
  /** The start of the line that contains `at`. */
  readonly startOf: (at: number) => number;
  /** Its end, before the line break. */
  readonly endOf: (at: number) => number;
}

/** Creates the line bounds of a text. */
export function lineBoundsOf(text: string): LineBounds {
  let start = 0;
  let end = -1;
  const seek = (at: number): void => {
    if (at <= end) return;
    // Lines between are skipped.
    start = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
    const next = text.indexOf('\n', at);
    end = next === -1 ? text.length : next;
  };
  return {
    startOf: (at) => {
      seek(at);
      return start;
    },
    endOf: (at) => {
      seek(at);
      return end;
    },
  };
}

/** A secret in a text: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds secrets of one form in a text, in time linear in its length. Spans may overlap and be in any order. */
export type Recognizer = (text: string) => readonly Span[];

/**
 * All matches of a pattern in a text. Most texts have none: searching is then all that it costs, while an iterator or a
 * copy of the pattern costs more than that.
 * @param pattern with the flag g, which is nowhere used with a position of its own
 */
export const matchesOf = (text: string, pattern: RegExp): Iterable<RegExpExecArray> =>
  hasMatch(text, pattern) ? text.matchAll(pattern) : [];

/** Whether a pattern matches anywhere in a text. @param pattern as for `matchesOf` */
export const hasMatch = (text: string, pattern: RegExp): boolean => text.search(pattern) !== -1;

const markHere = new RegExp(maskPatternSource, 'y');

/** The end of the mark that starts at `at`; undefined if there is none. */
export function markEnd(text: string, at: number): number | undefined {
  if (text[at] !== '[') return undefined;
  markHere.lastIndex = at;
  return markHere.test(text) ? markHere.lastIndex : undefined;
}

/** Sorts spans, and merges those that overlap. */
function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && span.start < last.end)
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    else if (span.end > span.start) merged.push(span);
  }
  return merged;
}

/** Replaces every span of a text with a mark. A span that is already a mark stays as it is. */
export function hideSpans(text: string, spans: readonly Span[]): string {
  const parts: string[] = [];
  let position = 0;
  for (const { start, end } of mergeSpans(spans)) {
    const matched = text.slice(start, end);
    parts.push(text.slice(position, start), isMark(matched) ? matched : hiddenSecret);
    position = end;
  }
  parts.push(text.slice(position));
  return parts.join('');
}
