import type { Level } from './log-line.ts';
import type { Entry } from './entries.ts';

/** Lines of one kind: they differ in numbers, ids and times only. */
export interface Repeat {
  /** The last of them, as an example, with its index and place as entries have them. */
  readonly index: number;
  readonly position: number;
  readonly text: string;
  readonly time?: string;
  readonly level: Level;
  readonly count: number;
  /** Index and time of the first of them. */
  readonly first: number;
  readonly firstTime?: string;
}

// Parts of a message that differ between two of its kind, the longest forms first.
const variableParts =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)[0-9a-f]{7,64}\b|\d+/gi;

// How often a cluster saw an event; its columns are padded by that.
const eventCount = /\(x\d+ over [\dhms]+\)/g;

/** What lines of one kind have in common: numbers, ids and times are left out, and how wide its columns are. */
export const lineTemplate = (text: string): string => text.replace(eventCount, '').replace(variableParts, '#').replace(/\s+/g, ' ');

/**
 * Entries without their repeats, in the order of their first appearance; each says how often its like was logged.
 * Takes time in proportion to the text.
 */
export function collapse(entries: readonly Entry[]): Repeat[] {
  const kinds = new Map<string, Repeat>();
  for (const { text, index, position: place, time, level } of entries) {
    const key = `${level} ${lineTemplate(text)}`;
    const known = kinds.get(key);
    kinds.set(key, {
      index, position: place, text, time, level,
      count: (known?.count ?? 0) + 1,
      first: known?.first ?? index,
      firstTime: known === undefined ? time : known.firstTime,
    });
  }
  return [...kinds.values()];
}

/** A line with how often its like was logged, where that is more than once: `text ×37`. */
export const counted = ({ text, count }: Pick<Repeat, 'text' | 'count'>): string => (count > 1 ? `${text} ×${count}` : text);
