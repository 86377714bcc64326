import { detectLevel, levelOfWord, statedLevel } from './level.ts';
import { type Level, levels, type LogLine } from './log-line.ts';
import {
  firstPart,
  levelOfReason,
  type ReadableCondition,
  saidIn,
  withoutStyles,
  withStyleMarks,
  writtenOut,
} from '../../contract/index.ts';

// Control characters, except tab, mean nothing in a line of text; format characters hide or reorder text.
const unprintable = /(?!\t)\p{Cc}|\p{Cf}/gu;

/** Maximum number of characters of a line that are read. Longer lines are data rather than messages. */
export const maximumLineLength = 4000;

// As programs print it, and in its written-out form in text that was already cleaned.
const overwrite = /\r|<U\+000D>/;

const lastOverwrite = (text: string): string =>
  overwrite.test(text) ? (text.split(overwrite).findLast((part) => part.trim() !== '') ?? '') : text;

/**
 * A line for word searches: without colours, control characters and trailing space; for a progress bar, only the last
 * update. Everything printable stays. Takes linear time.
 */
export const cleanLine = (line: string): string =>
  lastOverwrite(withoutStyles(firstPart(line, maximumLineLength)))
    .replace(unprintable, '')
    .trimEnd();

/** Marks an omitted part of a shown line. */
const ellipsis = '…';

/** The same line as it is shown: with a mark for everything that is left out. */
function shownLine(line: string): string {
  const read = withStyleMarks(firstPart(line, maximumLineLength));
  const last = lastOverwrite(read);
  return `${last === read ? '' : ellipsis}${writtenOut(last).trimEnd()}${line.length > maximumLineLength ? ellipsis : ''}`;
}

/** A line of a log, and the record it belongs to. */
export interface Entry {
  /** Index of the log line it is from; all lines of a message have the same. */
  readonly index: number;
  /** Index among all entries. */
  readonly position: number;
  readonly text: string;
  /**
   * The part that may be the output of another program: the text or, if the line has a condition, the texts that the
   * condition quotes.
   */
  readonly searched: string;
  /** The condition that the platform attached; only on the first line of its message. */
  readonly condition?: ReadableCondition;
  /** The text to show, with marks for parts that `text` lacks. */
  readonly shown: string;
  readonly time?: string;
  readonly pod?: string;
  readonly level: Level;
  /** The level that the platform attached to the line, by itself or with a condition; undefined if it did not. */
  readonly declared?: Level;
  /** `index` of the first line of its record: a stack trace belongs to the line above it. */
  readonly head: number;
}

// Lines that continue a stack trace, or a warning of Node.
const continuation =
  /^(?:\s*$|Caused by: |Suppressed: |\.{3} \d+ more|[)}\]]+[,;]?$|goroutine \d+ \[|\(Use `node --trace-)/;
// The exception of Java that a message logs. One that nothing caught has other words before it.
const loggedException = /^(?:[a-z]\w*\.)+[A-Z][\w$.]*(?:Exception|Error)(?::\s|$)/;
// A single space only aligns the level's name.
const indented = /^(?:\s{2,}\S|\t)/;
// The exception after the frames of a Python traceback isn't indented.
const pythonException = /^[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning)?(?:: |$)/;
// Lines of tools that draw a box around a message.
const boxed = /^[│╷╵]/;
// Maximum number of lines of a record, so that output that happens to be indented doesn't become one.
const longestRecord = 200;

const moreSevere = (one: Level, other: Level): Level => (levels.indexOf(one) < levels.indexOf(other) ? one : other);

type Head = Entry & { readonly traceback: boolean; readonly length: number };

/** Whether a level is that of a warning or an error: an exception in such a message is no other event. */
const isGrave = (level: Level): boolean => level === 'error' || level === 'warn';

const startsTraceback = (text: string): boolean => text.includes('Traceback (most recent call last)');

const continuesRecord = (head: Head | undefined, text: string, pod: string | undefined): boolean => {
  if (head === undefined || head.pod !== pod || head.length >= longestRecord) return false;
  if (boxed.test(head.text)) return boxed.test(text) && !text.startsWith('╷');
  return (
    continuation.test(text) ||
    (indented.test(text) && detectLevel(text) === undefined) ||
    (head.traceback && pythonException.test(text)) ||
    (head.length === 1 && isGrave(head.level) && loggedException.test(text))
  );
};

/**
 * The lines of a message: some loggers write a whole stack trace as one message. The last line that is read says if
 * there are more.
 */
function messageLines(message: string): { readonly text: string; readonly shown: string }[] {
  const lines = message.split('\n', longestRecord + 1);
  return lines
    .slice(0, longestRecord)
    .map((line, index) => ({
      text: cleanLine(line),
      shown: `${shownLine(line)}${index === longestRecord - 1 && lines.length > longestRecord ? ellipsis : ''}`,
    }));
}

/**
 * Splits log lines into cleaned entries, in their order, each with its level and the record it belongs to. Lines of
 * different pods may be interleaved. An entry is at least as severe as its record so far; without a level it is `info`.
 * An exception that a warning logs leaves it a warning.
 */
export function readEntries(lines: readonly LogLine[]): Entry[] {
  const heads = new Map<string | undefined, Head>();
  const read = (
    line: LogLine,
    index: number,
    { text, shown }: { readonly text: string; readonly shown: string },
    position: number,
  ): Entry => {
    const pod = line.pod_name ?? undefined;
    const last = heads.get(pod);
    const continues = last !== undefined && (last.index === index || continuesRecord(last, text, pod));
    const condition = line.condition ?? undefined;
    const declared = levelOfWord(line.level) ?? levelOfReason(condition?.reason);
    const isFirst = last?.index !== index;
    const detected = continues && isGrave(last.level) ? statedLevel(text) : detectLevel(text);
    const searched = condition === undefined ? text : isFirst ? cleanLine(saidIn(condition) ?? '') : '';
    const entry: Entry = {
      index,
      position,
      text,
      shown,
      searched,
      ...(condition !== undefined && isFirst && { condition }),
      ...(typeof line.created_at === 'string' && { time: line.created_at }),
      ...(pod !== undefined && { pod }),
      level: moreSevere(continues ? last.level : 'debug', declared ?? detected ?? (continues ? 'debug' : 'info')),
      ...(declared !== undefined && { declared }),
      head: continues ? last.head : index,
    };
    const ended = continues && last.traceback && !continuation.test(text) && !indented.test(text);
    heads.set(
      pod,
      continues
        ? { ...last, level: entry.level, traceback: last.traceback && !ended, length: last.length + 1 }
        : { ...entry, traceback: startsTraceback(text), length: 1 },
    );
    return entry;
  };
  return lines
    .flatMap((line, index) => messageLines(line.message ?? '').map((texts) => ({ line, index, texts })))
    .map(({ line, index, texts }, position) => read(line, index, texts, position));
}
