import type { Level } from './log-line.ts';
import type { Entry } from './entries.ts';

/** Similar lines, which differ only in numbers, ids and times. */
export interface Repeat {
  /** The last of them, as an example; `index` and `position` as in its entry. */
  readonly index: number;
  readonly position: number;
  readonly text: string;
  readonly shown: string;
  readonly time?: string;
  readonly level: Level;
  readonly declared?: Level;
  readonly count: number;
  /** Index of the first of them. */
  readonly first: number;
  readonly firstTime?: string;
}

// The variable parts of a message, longest forms first.
const variableParts =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)[0-9a-f]{7,64}\b|\d+/gi;

// The count of a cluster event, whose width also changes the padding of its columns.
const eventCount = /\(x\d+ over [\dhms]+\)/g;

/** The template that similar lines share: the line without numbers, ids, times and column widths. */
export const lineTemplate = (text: string): string =>
  text.replace(eventCount, '').replace(variableParts, '#').replace(/\s+/g, ' ');

// What may differ between messages that are shown as one: whatever else is a number may be a status, code or level.
// What says nothing by itself:
const fleetingParts = [
  // Times, and times of day.
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g,
  // UUIDs, and other ids of at least 12 digits. Of codes in 64 bits, small ones begin with zeros, negative ones with
  // ones.
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?!0000|f{8}|18446744)(?=[a-f]*\d)[0-9a-f]{12,64}\b/gi,
  // Addresses in memory, which are longer than codes.
  /\b0x(?!0000|f{4})[0-9a-f]{9,16}\b/gi,
  // Threads, and the process that Node warns of.
  /(?<=\b(?:exec|thread|worker|executor|scheduler|goroutine|pool)[- ]|\(node:)\d+\b/gi,
  // Seconds since the epoch, from 2014 to 2033. Other numbers of ten digits may be codes: 3221225477, -2147024891.
  /(?<![\w-])1[4-9]\d{8}(?:\.\d+)?(?!\w)/g,
];

/** What measures or counts. */
export const measuredParts: readonly RegExp[] = [
  // Durations and sizes with their unit: 12ms, 1m30s, 4.5MB, 12 ms, 2.8 s. Codes can be many (500s), or end in h (13h).
  /(?<![\w.])(?!\d{3}s\b|\d+h\b)(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|[kmgt]i?b))+(?!\w)/gi,
  /(?<![\w.])(?:\d+(?:\.\d+)? (?:ns|us|µs|ms|[kmgt]i?b)|\d+\.\d+ s)(?!\w)/gi,
  // Numbers whose name says that they count or measure: attempt 3, "duration_ms":12, ms=12.
  /(?<=\b(?:attempt|retry(?!\s?[1-5]\d\d\b)|pid|offset|duration|elapsed|latency|took)(?:_(?:ms|s|sec|seconds))?"?\s?[:=#]?\s?)\d+(?:\.\d+)?(?!\w)/gi,
  /(?<=\b(?:ms|millis|seconds|bytes)"?\s?[:=]\s?)\d+(?:\.\d+)?(?!\w)/gi,
];

const without = (text: string, parts: readonly RegExp[]): string =>
  parts.reduce((left, part) => left.replace(part, '#'), text);

/** A message without times, ids, addresses and threads. */
export const withoutFleetingParts = (text: string): string => without(text.replace(eventCount, ''), fleetingParts);

// Of the lines that continue a message, such as a stack trace, a number counts only if its name says what it is: frames
// have positions, addresses and numbers of generated classes.
const namedOrNumber =
  /\b((?:\w*(?:status|code|errno|exit|signal|error)\w*["']?\s?[:=(]?\s?["']?)+-?\w*)|0x[0-9a-f]+|\d+/gi;

const continuationTemplate = (line: string): string =>
  line.replace(namedOrNumber, (_, named: string | undefined) => named ?? '#');

/**
 * What messages have in common that are shown as one: all of them but times, long ids, addresses, threads, durations and
 * sizes with their unit, and numbers that are named as counts or durations; of their further lines, all numbers but
 * those that are named as statuses or codes. `GET /x 200` and `GET /x 500` differ.
 */
export function foldTemplate(text: string): string {
  const [first, ...others] = without(withoutFleetingParts(text), measuredParts).split('\n') as [string, ...string[]];
  return [first, ...others.map(continuationTemplate)].join('\n').replace(/\s+/g, ' ');
}

/**
 * Collapses similar entries into one each, with a count, in the order of their first appearance. Takes linear time.
 */
export function collapse(entries: readonly Entry[]): Repeat[] {
  const repeats = new Map<string, Repeat>();
  for (const { text, shown, index, position, time, level, declared } of entries) {
    const key = `${level} ${lineTemplate(text)}`;
    const known = repeats.get(key);
    repeats.set(key, {
      index,
      position,
      text,
      shown,
      time,
      level,
      ...(declared !== undefined && { declared }),
      count: (known?.count ?? 0) + 1,
      first: known?.first ?? index,
      firstTime: known === undefined ? time : known.firstTime,
    });
  }
  return [...repeats.values()];
}

/** A line with its count, if that is more than one: `text ×37`. */
export const counted = ({ text, count }: Pick<Repeat, 'text' | 'count'>): string =>
  count > 1 ? `${text} ×${count}` : text;
