import { readEntries } from './entries.ts';
import type { LogLine } from './log-line.ts';
import { foldRepeats, messagesOf, type RepeatedMessage } from './messages.ts';

/** How often the message came that begins with a line. */
export type Repeats = Omit<RepeatedMessage, 'shown'>;

/** The newest messages of a log: those that repeat once, where they came last. */
export interface FoldedLines<Line> {
  /** Whole lines, in their order. */
  readonly lines: readonly { readonly line: Line; readonly repeats?: Repeats }[];
  /** Number of messages in the log, of different ones, and of those that are shown. */
  readonly messages: number;
  readonly different: number;
  readonly shown: number;
}

/**
 * Folds messages that repeat, as a search does.
 * @param limit maximum number of different messages to show, the newest ones. Default: all.
 */
export function foldLines<Line extends LogLine>(lines: readonly Line[], limit?: number): FoldedLines<Line> {
  const messages = messagesOf(readEntries(lines));
  const different = foldRepeats(messages, lines, 'last');
  const shown = different.slice(Math.max(0, different.length - (limit ?? different.length)));
  const repeats = new Map(
    shown.flatMap(({ shown: message, ...told }) => (told.count > 1 ? [[message.lines[0].index, told] as const] : [])),
  );
  const indices = new Set(shown.flatMap(({ shown: message }) => message.lines.map(({ index }) => index)));
  return {
    lines: [...indices]
      .toSorted((one, other) => one - other)
      .map((index) => ({ line: lines[index]!, ...(repeats.has(index) && { repeats: repeats.get(index)! }) })),
    messages: messages.length,
    different: different.length,
    shown: shown.length,
  };
}
