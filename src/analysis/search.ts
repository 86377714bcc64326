import { RE2JS, RE2JSException } from 're2js';
import { type Level, levels, type LogLine } from './logs/log-line.ts';
import { type Entry, readEntries } from './logs/entries.ts';
import { timeWindow, UnusableQuery, type TimeWindow } from './time-window.ts';

/** What to look for in a log. Everything given must fit. */
export interface LogQuery {
  /** Regular expression, matched in linear time. */
  readonly pattern?: string;
  /** Plain text; capital letters are the same as small ones, as they are in `pattern`. */
  readonly text?: string;
  /** Lines at least this grave. */
  readonly level?: Level;
  /** ISO timestamp, or ISO duration before now such as PT15M. */
  readonly since?: string;
  readonly until?: string;
  /** Lines shown before and after each match; default none. */
  readonly context?: number;
  /** Most matches shown, default all; the newest stay. */
  readonly limit?: number;
}

export interface FoundLine {
  /** Place in the lines that were searched. */
  readonly index: number;
  readonly time?: string;
  readonly pod?: string;
  readonly level: Level;
  readonly text: string;
  /** False for a line that is shown as context. */
  readonly matched: boolean;
}

export interface LogSearchResult {
  /** Lines in their order, in groups that are apart in the log. */
  readonly groups: readonly (readonly FoundLine[])[];
  readonly matched: number;
  readonly shown: number;
  /** Lines that were looked through: those of the time window. */
  readonly searched: number;
  /** Matches of each level. */
  readonly levels: Readonly<Record<Level, number>>;
}

type Test = (text: string) => boolean;

// Matching takes time in proportion to the pattern's size too, counted in the engine's instructions.
const maximumPatternSize = 500;
const tooLarge = 'The pattern is too large once its repeats, such as {2,9}, are written out. Search for a shorter one.';

// What a person who is used to other engines misses, by how it is written.
const unsupportedSyntax = [
  { form: /\(\?<?[=!]/, name: 'Lookahead and lookbehind' },
  { form: /\\(?:[1-9]|k<)/, name: 'Backreferences' },
  { form: /\(\?>|[*+?}]\+/, name: 'Atomic groups and possessive quantifiers' },
];

const unusableReason = (pattern: string, reason: string): string => {
  const missed = unsupportedSyntax.find(({ form }) => form.test(pattern));
  return missed
    ? `${missed.name} can't be used: patterns are matched in linear time, without stepping back. Search for a simpler pattern, or use text.`
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

/** @throws UnusableQuery when the engine can't carry the pattern out */
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
  const taken = levels.slice(0, levels.indexOf(least) + 1);
  return ({ level }) => taken.includes(level);
};

/** The entries of a window. One without a time has that of the line before it. */
const entriesWithin = (entries: readonly Entry[], { from, to }: TimeWindow): Entry[] => {
  if (from === undefined && to === undefined) return [...entries];
  let at = Number.NaN;
  return entries.filter(({ time }) => {
    const told = time === undefined ? Number.NaN : Date.parse(time);
    if (!Number.isNaN(told)) at = told;
    return !Number.isNaN(at) && at >= (from ?? at) && at <= (to ?? at);
  });
};

/** Places of the shown lines around matches, in groups whose contexts touch. */
const groupPositions = (places: readonly number[], context: number, length: number): [number, number][] => {
  const groups: [number, number][] = [];
  for (const place of places) {
    const first = Math.max(0, place - context);
    const last = Math.min(length - 1, place + context);
    const open = groups.at(-1);
    if (open && first <= open[1] + 1) open[1] = Math.max(open[1], last);
    else groups.push([first, last]);
  }
  return groups;
};

/**
 * Searches a log. Lines are cleaned of escapes first; a line of a stack trace has the level of its record.
 * Takes time in proportion to the log's length, whatever the pattern.
 * @param now what durations in `since` and `until` count back from
 * @throws UnusableQuery when the pattern or a time can't be understood; the message says why
 */
export function searchLog(lines: readonly LogLine[], query: LogQuery, now: Date): LogSearchResult {
  const entries = entriesWithin(readEntries(lines), timeWindow(query, now));
  const tests: ((entry: Entry) => boolean)[] = [];
  if (query.level !== undefined) tests.push(levelTest(query.level));
  for (const test of [query.text ? textTest(query.text) : undefined, query.pattern ? patternTest(query.pattern) : undefined]) {
    if (test) tests.push(({ text }) => test(text));
  }
  const places = entries.flatMap((entry, place) => (tests.every((test) => test(entry)) ? [place] : []));
  const { limit = places.length, context = 0 } = query;
  const shown = places.slice(Math.max(0, places.length - limit));
  const matched = new Set(places);
  const counts = Object.fromEntries(levels.map((level) => [level, 0])) as Record<Level, number>;
  for (const place of places) counts[entries[place]?.level ?? 'info'] += 1;
  return {
    groups: groupPositions(shown, context, entries.length).map(([first, last]) =>
      entries.slice(first, last + 1).map(({ index, time, pod, level, text }, offset) => ({
        index, time, pod, level, text, matched: matched.has(first + offset),
      }))),
    matched: places.length,
    shown: shown.length,
    searched: entries.length,
    levels: counts,
  };
}
