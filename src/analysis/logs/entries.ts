import { detectLevel } from './level.ts';
import { type Level, levels, type LogLine } from './log-line.ts';
import { withoutEscapes } from '../../contract/plain-text.ts';

// Controls mean nothing in a line of text, but for a tab; marks of format hide or reorder what is read.
const unprintable = /(?!\t)\p{Cc}|\p{Cf}/gu;

/** Most characters of one line that are looked at. What is longer is data rather than a message. */
export const maximumLineLength = 4000;

const lastOverwrite = (text: string): string =>
  text.includes('\r') ? (text.split('\r').findLast((part) => part.trim() !== '') ?? '') : text;

/**
 * A line as a terminal would leave it: no colours and other escapes, of a progress bar only what was written last,
 * no control characters, no space at the end. Takes time in proportion to the text's length.
 */
export const cleanLine = (line: string): string =>
  lastOverwrite(withoutEscapes(line.slice(0, maximumLineLength))).replace(unprintable, '').trimEnd();

/** A clean line, and the record it belongs to. */
export interface Entry {
  /** Place in the lines that were read; all lines of one message have the same. */
  readonly index: number;
  /** Place among all entries. */
  readonly position: number;
  readonly text: string;
  readonly time?: string;
  readonly pod?: string;
  readonly level: Level;
  /** Index of the line that its record begins with: a stack trace belongs to the line above it. */
  readonly head: number;
}

// What a stack trace goes on with.
const continuation = /^(?:\s*$|Caused by: |Suppressed: |\.{3} \d+ more|[)}\]]+[,;]?$|goroutine \d+ \[)/;
// One space alone only aligns the level's name.
const indented = /^(?:\s{2,}\S|\t)/;
// After a Python traceback's frames its exception stands at the margin.
const pythonException = /^[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning)?(?:: |$)/;
// Tools that draw a box around one message.
const boxed = /^[│╷╵]/;
// Most lines of one record, so that output which happens to be indented doesn't become one.
const longestRecord = 200;

const moreSevere = (one: Level, other: Level): Level => (levels.indexOf(one) < levels.indexOf(other) ? one : other);

type Head = Entry & { readonly traceback: boolean; readonly length: number };

const startsTraceback = (text: string): boolean => text.includes('Traceback (most recent call last)');

const continuesRecord = (head: Head | undefined, text: string, pod: string | undefined): boolean => {
  if (head === undefined || head.pod !== pod || head.length >= longestRecord) return false;
  if (boxed.test(head.text)) return boxed.test(text) && !text.startsWith('╷');
  return continuation.test(text) || (indented.test(text) && detectLevel(text) === undefined) || (head.traceback && pythonException.test(text));
};

/** The lines of a message: some loggers write a whole stack trace as one. */
const messageLines = (message: string): string[] => message.split('\n', longestRecord).map(cleanLine);

/**
 * Log lines as clean entries, in their order, each with its level and the record it belongs to. Lines of different
 * pods may stand between each other. A line is at least as grave as its record so far; one that tells nothing is info.
 */
export function readEntries(lines: readonly LogLine[]): Entry[] {
  const heads = new Map<string | undefined, Head>();
  const read = (line: LogLine, index: number, text: string, place: number): Entry => {
    const pod = line.pod_name ?? undefined;
    const last = heads.get(pod);
    const continues = last !== undefined && (last.index === index || continuesRecord(last, text, pod));
    const entry: Entry = {
      index,
      position: place,
      text,
      ...(typeof line.created_at === 'string' && { time: line.created_at }),
      ...(pod !== undefined && { pod }),
      level: moreSevere(continues ? last.level : 'debug', detectLevel(text) ?? (continues ? 'debug' : 'info')),
      head: continues ? last.head : index,
    };
    const ended = continues && last.traceback && !continuation.test(text) && !indented.test(text);
    heads.set(pod, continues
      ? { ...last, level: entry.level, traceback: last.traceback && !ended, length: last.length + 1 }
      : { ...entry, traceback: startsTraceback(text), length: 1 });
    return entry;
  };
  return lines
    .flatMap((line, index) => messageLines(line.message ?? '').map((text) => ({ line, index, text })))
    .map(({ line, index, text }, place) => read(line, index, text, place));
}
