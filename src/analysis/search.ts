import { RE2JS, RE2JSException } from 're2js';
import { type Level, levels, type LogLine } from './logs/log-line.ts';
import { readEntries } from './logs/entries.ts';
import { foldRepeats, type Message, messagesOf, type RepeatedMessage } from './logs/messages.ts';
import { timeWindow, UnusableQuery } from './time-window.ts';

/** A log search. Messages must meet all criteria: of a message of several lines, one line has to have the words. */
export interface LogQuery {
  /** Regular expression in RE2 syntax, ignoring case. */
  readonly pattern?: string;
  /** Plain text, ignoring case. */
  readonly text?: string;
  /** Least severe level to include. */
  readonly level?: Level;
  /** ISO timestamp, or ISO duration before now, such as PT15M. */
  readonly since?: string;
  readonly until?: string;
  /** Number of lines to show before and after each match. Default: 0. */
  readonly context?: number;
  /** Maximum number of matches to show: of different ones, unless each is shown. Default: all. */
  readonly limit?: number;
  /** Whether the oldest matches are shown rather than the newest ones, and the first of those that repeat. */
  readonly oldest?: boolean;
  /** Whether each message is shown as it is, rather than those that repeat once. */
  readonly isEach?: boolean;
}

/** The criteria of a search, in the order in which they are applied. */
const criteria = ['since', 'until', 'level', 'text', 'pattern'] as const;
export type Criterion = (typeof criteria)[number];

export interface FoundLine {
  /** Index in the lines that were searched. */
  readonly index: number;
  readonly time?: string;
  readonly service?: string;
  readonly pod?: string;
  readonly level: Level;
  readonly text: string;
  /** False for lines of the context. */
  readonly matched: boolean;
  /** On the first line of a match that repeats. */
  readonly repeats?: Omit<RepeatedMessage, 'shown'>;
  /** On the last line that is shown of a match: how many more it has. */
  readonly more?: number;
}

export interface LogSearchResult {
  /** Groups of consecutive lines, in their order. */
  readonly groups: readonly (readonly FoundLine[])[];
  /** Number of messages that match: the lines of a stack trace belong to theirs. */
  readonly matched: number;
  /** Number of different ones among them. */
  readonly different: number;
  /** How many of the different ones are shown; if each message is shown, how many messages. */
  readonly shown: number;
  /** Number of messages in the log. */
  readonly searched: number;
  /** Number of matches per level. */
  readonly levels: Readonly<Record<Level, number>>;
  /** If no message meets all criteria: how many meet each of them by itself. */
  readonly metAlone?: Readonly<Partial<Record<Criterion, number>>>;
  /** The first match. */
  readonly first?: { readonly index: number; readonly time?: string };
}

type Test = (text: string) => boolean;
type MessageTest = (message: Message) => boolean;

// Matching time also grows with the size of the pattern, in instructions of the engine.
const maximumPatternSize = 500;
const tooLarge = 'The pattern is too large once its repeats, such as {2,9}, are written out. Search for a shorter one.';

// Syntax of other engines that RE2 doesn't support.
const unsupportedSyntax = [
  { form: /\(\?<?[=!]/, name: 'Lookahead and lookbehind' },
  { form: /\\(?:[1-9]|k<)/, name: 'Backreferences' },
  { form: /\(\?>|[*+?}]\+/, name: 'Atomic groups and possessive quantifiers' },
];

const unusableReason = (pattern: string, reason: string): string => {
  const unsupported = unsupportedSyntax.find(({ form }) => form.test(pattern));
  return unsupported
    ? `${unsupported.name} can't be used: patterns are matched in linear time, without stepping back. Search for a simpler pattern, or use text.`
    : `The pattern can't be read: ${reason}. To search for the characters as they are, use text.`;
};

const compilePattern = (pattern: string): RE2JS => {
  try {
    return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new UnusableQuery(unusableReason(pattern, error.message.replace(/^error parsing regexp: /, '')));
  }
};

/** @throws UnusableQuery if the pattern is too large or not supported */
const patternTest = (pattern: string): Test => {
  if (pattern.length > maximumPatternSize) throw new UnusableQuery(tooLarge);
  const compiled = compilePattern(pattern);
  if (compiled.programSize() > maximumPatternSize) throw new UnusableQuery(tooLarge);
  return (text) => compiled.test(text);
};

const textTest = (wanted: string): Test => {
  const lower = wanted.toLowerCase();
  return (text) => text.toLowerCase().includes(lower);
};

const lineTest =
  (test: Test): MessageTest =>
  ({ lines }) =>
    lines.some(({ text }) => test(text));

const levelTest = (least: Level): MessageTest => {
  const accepted = levels.slice(0, levels.indexOf(least) + 1);
  return ({ level }) => accepted.includes(level);
};

/** The time of each message. One without a time has that of the one before it. */
const timesOf = (messages: readonly Message[]): ReadonlyMap<Message, number> => {
  let at = Number.NaN;
  return new Map(
    messages.map((message) => {
      const parsed = message.time === undefined ? Number.NaN : Date.parse(message.time);
      if (!Number.isNaN(parsed)) at = parsed;
      return [message, at];
    }),
  );
};

/** The messages that meet every criterion; if there are none, how many meet each of them by itself. */
function matchesOf(
  messages: readonly Message[],
  tests: Readonly<Partial<Record<Criterion, MessageTest>>>,
): Pick<LogSearchResult, 'metAlone'> & { readonly matches: readonly Message[] } {
  const given = criteria.flatMap((criterion) => {
    const test = tests[criterion];
    return test ? [{ criterion, test }] : [];
  });
  const matches = given.reduce((left, { test }) => left.filter(test), messages);
  if (matches.length > 0 || messages.length === 0) return { matches };
  const counts = given.map(({ criterion, test }) => [criterion, messages.filter(test).length]);
  return { matches, metAlone: Object.fromEntries(counts) as LogSearchResult['metAlone'] };
}

/** How many lines of a message are shown, besides those with the words. */
const linesShown = 10;

/** Consecutive positions together. */
const groupPositions = (positions: readonly number[]): number[][] => {
  const groups: number[][] = [];
  for (const position of positions) {
    const open = groups.at(-1);
    if (open?.at(-1) === position - 1) open.push(position);
    else groups.push([position]);
  }
  return groups;
};

/**
 * Searches a log, in time linear in its length for any pattern. Colours don't keep words from being found. What is
 * found are messages; those that repeat are shown once, unless the query asks for each.
 * @param now the time that durations in `since` and `until` are relative to
 * @throws UnusableQuery if the pattern or a time is invalid; the message explains why
 */
export function searchLog(lines: readonly LogLine[], query: LogQuery, now: Date): LogSearchResult {
  const { from, to } = timeWindow(query, now);
  const entries = readEntries(lines);
  const messages = messagesOf(entries);
  const times = from === undefined && to === undefined ? undefined : timesOf(messages);
  const text = query.text ? textTest(query.text) : undefined;
  const pattern = query.pattern ? patternTest(query.pattern) : undefined;
  const { matches, metAlone } = matchesOf(messages, {
    ...(from !== undefined && { since: (message) => times!.get(message)! >= from }),
    ...(to !== undefined && { until: (message) => times!.get(message)! <= to }),
    ...(query.level !== undefined && { level: levelTest(query.level) }),
    ...(text && { text: lineTest(text) }),
    ...(pattern && { pattern: lineTest(pattern) }),
  });
  const folded = foldRepeats(matches, lines, query.oldest ? 'first' : 'last');
  const listed: readonly RepeatedMessage[] = query.isEach
    ? matches.map((message) => ({ shown: message, count: 1, isExact: true }))
    : folded;
  const { limit = listed.length, context = 0 } = query;
  const shown = query.oldest ? listed.slice(0, limit) : listed.slice(Math.max(0, listed.length - limit));
  const hasWords = (line: string): boolean => text?.(line) === true || pattern?.(line) === true;
  const positions = new Set<number>();
  const notes = new Map<number, Pick<FoundLine, 'repeats' | 'more'>>();
  for (const { shown: message, ...repeats } of shown) {
    const own = message.lines.filter((line, index) => index < linesShown || hasWords(line.text));
    for (const { position } of own)
      for (let at = position - context; at <= position + context; at += 1) if (at in entries) positions.add(at);
    const more = message.lines.filter(({ position }) => !positions.has(position)).length;
    if (more > 0) notes.set(own.at(-1)!.position, { more });
    const head = message.lines[0].position;
    if (repeats.count > 1) notes.set(head, { ...notes.get(head), repeats });
  }
  const matched = new Set(matches.flatMap((message) => message.lines.map(({ position }) => position)));
  const counts = Object.fromEntries(levels.map((level) => [level, 0])) as Record<Level, number>;
  for (const { level } of matches) counts[level] += 1;
  const first = matches[0]?.lines[0];
  return {
    groups: groupPositions([...positions].toSorted((one, other) => one - other)).map((group) =>
      group.map((position) => {
        const { index, time, pod, level, shown: line } = entries[position]!;
        const service = lines[index]?.service_name ?? undefined;
        return {
          index,
          time,
          ...(service !== undefined && { service }),
          pod,
          level,
          text: line,
          matched: matched.has(position),
          ...notes.get(position),
        };
      }),
    ),
    matched: matches.length,
    different: folded.length,
    shown: shown.length,
    searched: messages.length,
    levels: counts,
    ...(metAlone && { metAlone }),
    ...(first && { first: { index: first.index, ...(first.time !== undefined && { time: first.time }) } }),
  };
}
