import { isoAt } from '../../contract/index.ts';
import type { Piece } from './cell.ts';
import { riskStyles, type Style } from './style.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const units: readonly (readonly [number, string])[] = [
  [day, 'd'],
  [hour, 'h'],
  [minute, 'min'],
  [1000, 's'],
];

/** A time span in its largest unit: 14 min. */
function spanText(milliseconds: number): string {
  const [length, name] = units.find(([one]) => milliseconds >= one) ?? units.at(-1)!;
  return `${Math.floor(milliseconds / length)} ${name}`;
}

/** A time in few characters: relative to now, or its date and minute if it is more than a day away. */
function shortTime(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance > day) return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`;
  return at > now ? `in ${spanText(distance)}` : `${spanText(distance)} ago`;
}

/** A time for a table: exact if it fits, otherwise short. @param at in ISO 8601, or in milliseconds since 1970. */
export function timeCell(at: string | number, now = Date.now()): Piece {
  const milliseconds = typeof at === 'number' ? at : Date.parse(at);
  // A value that isn't a time is shown unchanged, because a file may have been written by hand.
  const iso = isoAt(milliseconds);
  return iso === undefined
    ? { text: String(at) }
    : { text: typeof at === 'number' ? iso : at, short: shortTime(milliseconds, now) };
}

const outcomeStyles: Readonly<Record<string, Style>> = {
  done: 'green',
  approved: 'green',
  failed: 'red',
  unknown: 'red',
  denied: 'yellow',
  refused: 'yellow',
  pending: 'cyan',
};

const styledBy =
  (styles: Readonly<Record<string, Style>>) =>
  (text: string): Piece => ({ text, style: Object.hasOwn(styles, text) ? styles[text] : undefined });

/** The risk of a call in its colour. */
export const riskCell = styledBy(riskStyles);

/** The outcome of a call in its colour. */
export const outcomeCell = styledBy(outcomeStyles);
