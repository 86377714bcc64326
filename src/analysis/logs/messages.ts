import { foldTemplate } from './collapse.ts';
import type { Entry } from './entries.ts';
import type { Level, LogLine } from './log-line.ts';
import { rangesOf } from './ranges.ts';

/** A message of a log: its first line, with the lines that continue it, such as a stack trace. */
export interface Message {
  /** In their order; never empty. Lines of other pods may lie between them. */
  readonly lines: readonly [Entry, ...Entry[]];
  /** The gravest level of its lines. */
  readonly level: Level;
  readonly time?: string;
}

/** Puts the entries of a log together to messages, in the order of their first lines. */
export const messagesOf = (entries: readonly Entry[]): Message[] =>
  [...Map.groupBy(entries, ({ head }) => head).values()].map((lines) => ({
    lines: lines as [Entry, ...Entry[]],
    // An entry is at least as grave as its message so far.
    level: lines.at(-1)!.level,
    time: lines[0]!.time,
  }));

/** Messages of one service that differ in what passes at most: times, ids, durations and counts, see `foldTemplate`. */
export interface RepeatedMessage {
  /** The one that is shown for all of them. */
  readonly shown: Message;
  readonly count: number;
  /** Whether all of them have the same text. */
  readonly isExact: boolean;
  /** Of which durations, sizes and counts they have others: the smallest and the largest. Absent if of none. */
  readonly ranges?: readonly string[];
  /** Times of the first and the last of them. */
  readonly first?: string;
  readonly last?: string;
}

/**
 * How often a message came, and when it did first or last.
 * @param time that of the one which is shown
 */
export const repeatsText = (
  { count, isExact, ranges = [], first, last }: Omit<RepeatedMessage, 'shown'>,
  time: string | undefined,
): string => {
  const [end, other] = time === last ? ['first', first] : ['last', last];
  const numbers = isExact ? '' : [' with other numbers', ...(ranges.length > 0 ? [ranges.join(', ')] : [])].join(': ');
  return `(× ${count}${numbers}${other === undefined || first === last ? '' : `, ${end} at ${other}`})`;
};

const textOf = ({ lines }: Message): string => lines.map(({ text }) => text).join('\n');

/**
 * Folds messages that repeat, in the order of the ones that are shown.
 * @param lines the log that the messages are from
 * @param example which of each is shown: the first or the last
 */
export function foldRepeats(
  messages: readonly Message[],
  lines: readonly LogLine[],
  example: 'first' | 'last',
): RepeatedMessage[] {
  const keyOf = (message: Message): string =>
    `${lines[message.lines[0].index]?.service_id ?? ''} ${message.level} ${foldTemplate(textOf(message))}`;
  return [...Map.groupBy(messages, keyOf).values()]
    .map((alike) => {
      const [first, last] = [alike[0]!, alike.at(-1)!];
      const shown = example === 'first' ? first : last;
      const texts = alike.map(textOf);
      const isExact = texts.every((text) => text === texts[0]);
      const ranges = isExact ? [] : rangesOf(texts);
      return {
        shown,
        count: alike.length,
        isExact,
        ...(ranges.length > 0 && { ranges }),
        ...(first.time !== undefined && { first: first.time }),
        ...(last.time !== undefined && { last: last.time }),
      };
    })
    .toSorted((one, other) => one.shown.lines[0].position - other.shown.lines[0].position);
}
