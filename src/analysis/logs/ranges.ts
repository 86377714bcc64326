import { measuredParts, withoutFleetingParts } from './collapse.ts';

/** Maximum number of ranges that are told of one message. */
const mostRanges = 3;

/** A number of a line that measures or counts something. */
interface Measure {
  /** As it is in the line, with its unit: `1081 ms`, `1m30s`, `3`. */
  readonly text: string;
  readonly value: number;
  /** What stands before it, if that is a name; a number without a unit needs it. */
  readonly name?: string;
}

const anyMeasure = new RegExp(measuredParts.map(({ source }) => source).join('|'), 'gi');

/** Seconds and bytes per unit, in lower case. Only numbers of the same place in a line are compared. */
const units: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

const valueOf = (text: string): number =>
  [...text.matchAll(/(\d+(?:\.\d+)?)\s?([a-zµ]*)/gi)].reduce(
    (sum, [, number, unit = '']) => sum + Number(number) * (units[unit.toLowerCase()] ?? 1),
    0,
  );

// How far back the name of a number is looked for.
const longestName = 40;
const nameBefore = /([a-z_]+)["']?\s?[:=#]?\s?["']?$/i;
// What a message assigns to such a name is hidden where the line is shown. Here only the value would be left of it.
const secretBefore = /(?:pass|pwd|secret|token|key|pin|auth|cred)[a-z_]*["']?\s?[:=]\s?["']?$/i;

/** The measures of the first line of a message, in their order; undefined where one may be a secret. */
const measuresIn = (text: string): readonly (Measure | undefined)[] => {
  const line = withoutFleetingParts(text.split('\n', 1)[0]!);
  return [...line.matchAll(anyMeasure)].map(({ 0: found, index }) => {
    const before = line.slice(Math.max(0, index - longestName), index);
    if (secretBefore.test(before)) return undefined;
    const name = nameBefore.exec(before)?.[1];
    return { text: found, value: valueOf(found), ...(name !== undefined && { name }) };
  });
};

const unitOf = (text: string): string => text.replace(/^[\d.]+/, '');

/** The smallest and the largest of the numbers at one place of alike lines; undefined if all are equal. */
function rangeText(measures: readonly Measure[]): string | undefined {
  const inOrder = measures.toSorted((one, other) => one.value - other.value);
  const [least, most] = [inOrder[0]!, inOrder.at(-1)!];
  if (least.value === most.value) return undefined;
  const unit = unitOf(most.text);
  const isSameUnit = unit === unitOf(least.text) && !/\d/.test(unit);
  const range = `${isSameUnit ? least.text.slice(0, least.text.length - unit.length) : least.text}–${most.text}`;
  return unit === '' && most.name !== undefined ? `${most.name} ${range}` : range;
}

/**
 * The ranges of the durations, sizes and counts in which alike messages differ, in the order of the line: `1081–1940 ms`,
 * `attempt 1–3`. Empty if they differ in times, ids and the like only.
 * @param texts messages with the same `foldTemplate`
 */
export function rangesOf(texts: readonly string[]): readonly string[] {
  const all = texts.map(measuresIn);
  const places = all[0]?.length ?? 0;
  if (all.some(({ length }) => length !== places)) return [];
  return Array.from({ length: places }, (_, place) => all.flatMap((measures) => measures[place] ?? []))
    .flatMap((measures) => (measures.length === texts.length ? (rangeText(measures) ?? []) : []))
    .slice(0, mostRanges);
}
