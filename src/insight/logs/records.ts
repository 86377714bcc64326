import { cleanLine } from './clean.ts';
import { toldLevel } from './level.ts';
import type { Level, LogLine } from './log-line.ts';

/** A clean line, and the record it belongs to. */
export interface Entry {
  /** Place in the lines that were read. */
  readonly index: number;
  readonly text: string;
  readonly time?: string;
  readonly pod?: string;
  readonly level: Level;
  /** Index of the line that its record begins with: a stack trace belongs to the line above it. */
  readonly head: number;
}

// What a stack trace and other wrapped output go on with.
const continuation = /^(?:\s+\S|\s*$|Caused by: |\.{3} \d+ more|[)}\]]+[,;]?$|goroutine \d+ \[|\t|Suppressed: )/;
// After a Python traceback's frames its exception stands at the margin.
const pythonException = /^[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning)?(?:: |$)/;
// Tools that draw a box around one message.
const boxed = /^[│╷╵]/;
// Most lines of one record, so that output which happens to be indented doesn't become one.
const longestRecord = 200;

type Head = Entry & { readonly traceback: boolean; readonly length: number };

const startsTraceback = (text: string): boolean => text.includes('Traceback (most recent call last)');

const belongs = (head: Head | undefined, text: string, pod: string | undefined): boolean => {
  if (head === undefined || head.pod !== pod || head.length >= longestRecord) return false;
  if (boxed.test(head.text)) return boxed.test(text) && !text.startsWith('╷');
  return continuation.test(text) || (head.traceback && pythonException.test(text));
};

/**
 * Log lines as clean entries, in their order, each with its level and the record it belongs to. Lines of different
 * pods may stand between each other. A line without level has that of its record; a record without one is info.
 */
export function readEntries(lines: readonly LogLine[]): Entry[] {
  const heads = new Map<string | undefined, Head>();
  return lines.map((line, index) => {
    const text = cleanLine(line.message ?? '');
    const pod = line.pod_name ?? undefined;
    const last = heads.get(pod);
    const continues = belongs(last, text, pod);
    const entry: Entry = {
      index,
      text,
      ...(typeof line.created_at === 'string' && { time: line.created_at }),
      ...(pod !== undefined && { pod }),
      level: continues && last ? last.level : (toldLevel(text) ?? 'info'),
      head: continues && last ? last.head : index,
    };
    const ended = continues && last?.traceback === true && !continuation.test(text);
    heads.set(pod, continues && last
      ? { ...last, traceback: last.traceback && !ended, length: last.length + 1 }
      : { ...entry, traceback: startsTraceback(text), length: 1 });
    return entry;
  });
}
