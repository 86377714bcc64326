import { collapse, type Repeat, templateOf } from '../logs/collapse.ts';
import { weightOf } from '../logs/rank.ts';
import type { Entry } from '../logs/records.ts';
import type { MatteringLine } from './diagnosis.ts';

const most = 8;

// What only warns weighs less, whatever else it says.
const weightOfErrors = 4;

const toLine = ({ index, time, level, text, count }: Repeat): MatteringLine => ({ index, ...(time !== undefined && { time }), level, text, count });

/**
 * The few lines worth reading, in their order: those that causes rest on first, then the gravest and latest.
 * @param quoted places of entries that causes rest on
 */
export function matteringLines(entries: readonly Entry[], quoted: readonly number[]): MatteringLine[] {
  const wanted = new Set(entries.filter(({ place }) => quoted.includes(place)).map(({ level, text }) => `${level} ${templateOf(text)}`));
  const isQuoted = ({ level, text }: Repeat): boolean => wanted.has(`${level} ${templateOf(text)}`);
  const repeats = collapse(entries).filter(({ text }) => text.trim() !== '');
  const weighed = repeats
    .map((repeat) => ({ repeat, weight: (isQuoted(repeat) ? 100 : 0) + weightOf(repeat.text) }))
    .filter(({ weight }) => (quoted.length > 0 ? weight >= weightOfErrors : weight > 0))
    .toSorted((one, other) => other.weight - one.weight || other.repeat.place - one.repeat.place);
  return weighed.slice(0, most).map(({ repeat }) => repeat).toSorted((one, other) => one.place - other.place).map(toLine);
}
