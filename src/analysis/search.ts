import { RE2JS, RE2JSException } from 're2js';
import { type Level, levels, type LogLine } from './logs/log-line.ts';
import { type Entry, readEntries } from './logs/entries.ts';
import { timeWindow, UnusableQuery, type TimeWindow } from './time-window.ts';

/** A log search. Lines must meet all criteria. */
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
  /** Maximum number of matches to show; the newest are kept. Default: all. */
  readonly limit?: number;
}

export interface FoundLine {
  /** Index in the lines that were searched. */
  readonly index: number;
  readonly time?: string;
  readonly pod?: string;
  readonly level: Level;
  readonly text: string;
  /** False for context lines. */
  readonly matched: boolean;
}

export interface LogSearchResult {
  /** Groups of consecutive lines, in their order. */
  readonly groups: readonly (readonly FoundLine[])[];
  readonly matched: number;
  readonly shown: number;
  /** Number of lines in the time window. */
  readonly searched: number;
  /** Number of matches per level. */
  readonly levels: Readonly<Record<Level, number>>;
}

type Test = (text: string) => boolean;

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

const levelTest = (least: Level): ((entry: Entry) => boolean) => {
  const accepted = levels.slice(0, levels.indexOf(least) + 1);
  return ({ level }) => accepted.includes(level);
};

/** The entries of a time window. An entry without a time has that of the one before it. */
const entriesWithin = (entries: readonly Entry[], { from, to }: TimeWindow): Entry[] => {
  if (from === undefined && to === undefined) return [...entries];
  let at = Number.NaN;
  return entries.filter(({ time }) => {
    const parsed = time === undefined ? Number.NaN : Date.parse(time);
    if (!Number.isNaN(parsed)) at = parsed;
    return !Number.isNaN(at) && at >= (from ?? at) && at <= (to ?? at);
  });
};

/** First and last index of each group of lines around matches; groups whose contexts touch are merged. */
const groupPositions = (positions: readonly number[], context: number, length: number): [number, number][] => {
  const groups: [number, number][] = [];
  for (const position of positions) {
    const first = Math.max(0, position - context);
    const last = Math.min(length - 1, position + context);
    const open = groups.at(-1);
    if (open && first <= open[1] + 1) open[1] = Math.max(open[1], last);
    else groups.push([first, last]);
  }
  return groups;
};

/**
 * Searches a log, in time linear in its length for any pattern. Colours don't keep words from being found; the lines of
 * a stack trace have the level of their record.
 * @param now the time that durations in `since` and `until` are relative to
 * @throws UnusableQuery if the pattern or a time is invalid; the message explains why
 */
export function searchLog(lines: readonly LogLine[], query: LogQuery, now: Date): LogSearchResult {
  const entries = entriesWithin(readEntries(lines), timeWindow(query, now));
  const tests: ((entry: Entry) => boolean)[] = [];
  if (query.level !== undefined) tests.push(levelTest(query.level));
  for (const test of [
    query.text ? textTest(query.text) : undefined,
    query.pattern ? patternTest(query.pattern) : undefined,
  ]) {
    if (test) tests.push(({ text }) => test(text));
  }
  const matches = entries.flatMap((entry, position) => (tests.every((test) => test(entry)) ? [position] : []));
  const { limit = matches.length, context = 0 } = query;
  const shown = matches.slice(Math.max(0, matches.length - limit));
  const matched = new Set(matches);
  const counts = Object.fromEntries(levels.map((level) => [level, 0])) as Record<Level, number>;
  for (const position of matches) counts[entries[position]?.level ?? 'info'] += 1;
  return {
    groups: groupPositions(shown, context, entries.length).map(([first, last]) =>
      entries
        .slice(first, last + 1)
        .map(({ index, time, pod, level, shown: text }, offset) => ({
          index,
          time,
          pod,
          level,
          text,
          matched: matched.has(first + offset),
        })),
    ),
    matched: matches.length,
    shown: shown.length,
    searched: entries.length,
    levels: counts,
  };
}
