import {
  figuresIn,
  isRecord,
  numberIn,
  recordsIn,
  someText,
  textOf,
  textsIn,
  type JsonRecord,
  type ToolResult,
} from './result.ts';

/** What is measured of a service. */
export const measures = ['cpu', 'memory', 'requests'] as const;
export type Measure = (typeof measures)[number];

/** One figure: what is used, of how much if there is a limit, and its unit. */
export interface Figure {
  readonly used: number;
  readonly limit?: number;
  readonly unit: string;
}

/** A service with what was measured of it. */
export interface MeasuredService {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  /** When it was measured; undefined if it wasn't. */
  readonly at?: string;
  readonly figures: Readonly<Partial<Record<Measure, Figure>>>;
  /** Other figures, as names and values. */
  readonly facts: readonly (readonly [string, string])[];
  /** What could not be measured, and why. */
  readonly missing: readonly string[];
}

const figure = (used: unknown, limit: unknown, unit: string): Figure | undefined => {
  const amount = numberIn(used);
  const most = numberIn(limit);
  return amount === undefined
    ? undefined
    : { used: amount, unit, ...(most !== undefined && most > 0 && { limit: most }) };
};

const shownFacts = [
  ['instances', 'instances', ''],
  ['restarts', 'restarts', ''],
  ['error_percent', 'errors', ' %'],
  ['p95_milliseconds', '95 % within', ' ms'],
  ['received_per_second', 'received', ' B/s'],
  ['sent_per_second', 'sent', ' B/s'],
] as const;

function serviceOf({ id, path, kind, state, usage }: JsonRecord): MeasuredService {
  const measured = isRecord(usage) ? usage : {};
  const figures = {
    cpu: figure(measured['cpu'], measured['cpu_limit'], 'm'),
    memory: figure(measured['memory'], measured['memory_limit'], 'MB'),
    requests: figure(measured['requests_per_second'], undefined, '/s'),
  };
  return {
    id: textOf(id),
    name: textOf(path),
    kind: textOf(kind),
    state: textOf(state),
    at: someText(measured['measured_at']),
    figures: Object.fromEntries(Object.entries(figures).filter(([, one]) => one !== undefined)),
    facts: shownFacts.flatMap(([member, name, unit]) =>
      numberIn(measured[member]) === undefined ? [] : [[name, `${textOf(measured[member])}${unit}`] as const],
    ),
    missing: textsIn(measured['missing']),
  };
}

/** The services of a result, with what was measured. */
export const measuredServices = (result: ToolResult): readonly MeasuredService[] =>
  recordsIn(figuresIn(result)['services']).map(serviceOf);

/** Whether a result tells what was measured, be it nothing. Some lists have no measurements. */
export const tellsMeasurements = (result: ToolResult): boolean => figuresIn(result)['services'] !== undefined;

/** A figure in words: `120 of 500 m (24 %)`. */
export const figureText = ({ used, limit, unit }: Figure): string =>
  limit === undefined ? `${used} ${unit}` : `${used} of ${limit} ${unit} (${Math.round((used / limit) * 100)} %)`;

/** A figure at a time, in milliseconds since the epoch. */
export interface Point {
  readonly at: number;
  readonly used: number;
}

/** What was measured of services, by service and measure, oldest first. */
export type History = ReadonlyMap<string, readonly Point[]>;

const mostPoints = 60;

const keyOf = (service: string, measure: Measure): string => `${measure} ${service}`;

/** The measurements of one service and measure. */
export const pointsOf = (history: History, service: string, measure: Measure): readonly Point[] =>
  history.get(keyOf(service, measure)) ?? [];

/** A history with what was measured since. A measurement that it has is not added again. */
export function withMeasured(history: History, services: readonly MeasuredService[]): History {
  const next = new Map(history);
  for (const { id, at, figures } of services) {
    const time = Date.parse(at ?? '');
    if (Number.isNaN(time)) continue;
    for (const measure of measures) {
      const { used } = figures[measure] ?? {};
      const points = pointsOf(history, id, measure);
      if (used === undefined || (points.at(-1)?.at ?? -Infinity) >= time) continue;
      next.set(keyOf(id, measure), [...points, { at: time, used }].slice(-mostPoints));
    }
  }
  return next;
}

/** The size of charts, in units of their own. */
export const chartSize = { width: 120, height: 32 };

/**
 * The line of a chart, as the points of a polyline from left to right. Zero is at the bottom, the limit or the largest
 * figure at the top. Empty where there are fewer than two points.
 */
export function chartLine(points: readonly Point[], limit?: number): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first.at === last.at) return '';
  const most = Math.max(limit ?? 0, ...points.map(({ used }) => used)) || 1;
  const { width, height } = chartSize;
  return points
    .map(({ at, used }) => {
      const [x, y] = [((at - first.at) / (last.at - first.at)) * width, (1 - used / most) * height];
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(' ');
}
