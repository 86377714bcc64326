import { hiddenSecret, maskPatternSource, type Steps } from '../../../contract/index.ts';
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

/**
 * Finds secrets of one form in a text, in time linear in its length: at once, which must take some milliseconds for each
 * megabyte at most, or in steps. Spans may overlap and be in any order.
 */
export type Recognizer = (text: string) => readonly Span[] | Steps<readonly Span[]>;

/** A form of secrets. */
export interface Form {
  /** The traits without all of which a text has no such secret. */
  readonly needs: number;
  readonly find: Recognizer;
}

/** How much of a text a recognizer reads at most before it lets other work run, in characters. */
export const longestStep = 32_768;

/** The matches of a pattern with the flag `g`, none of them empty. Most texts have none, which costs no more than a search. */
export function matchesOf(text: string, pattern: RegExp): readonly RegExpExecArray[] {
  const matches: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) matches.push(match);
  return matches;
}

const markHere = new RegExp(maskPatternSource, 'y');

/** The end of the mark that starts at `at`; undefined if there is none. */
export function markEnd(text: string, at: number): number | undefined {
  if (text[at] !== '[') return undefined;
  markHere.lastIndex = at;
  return markHere.test(text) ? markHere.lastIndex : undefined;
}

const isSorted = (spans: readonly Span[]): boolean =>
  spans.every(({ start }, index) => index === 0 || start >= spans[index - 1]!.start);

/** How many spans are replaced before other work may run. */
const mostInStep = 4096;

/**
 * Replaces every span of a text with a mark. Spans that overlap are replaced as one, and one that is already a mark
 * stays as it is.
 */
export function* hideSpans(text: string, spans: readonly Span[]): Steps<string> {
  const sorted = isSorted(spans) ? spans : spans.toSorted((a, b) => a.start - b.start);
  let [hidden, position] = ['', 0];
  let parts: string[] = [];
  for (let index = 0; index < sorted.length;) {
    const { start } = sorted[index]!;
    let { end } = sorted[index]!;
    for (index += 1; index < sorted.length && sorted[index]!.start < end; index += 1)
      end = Math.max(end, sorted[index]!.end);
    if (end <= start) continue;
    const matched = text.slice(start, end);
    parts.push(text.slice(position, start), isMark(matched) ? matched : hiddenSecret);
    position = end;
    if (parts.length < mostInStep) continue;
    hidden += parts.join('');
    parts = [];
    yield;
  }
  return `${hidden}${parts.join('')}${text.slice(position)}`;
}
