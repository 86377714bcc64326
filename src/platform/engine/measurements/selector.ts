import { metricNames } from './metric-definitions.ts';
import type { Series } from './series.ts';

/** What picks values of one metric: all whose labels are, or are not, these. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly isEqual: boolean; readonly value: string }[];
}

const metricPattern = /^\s*(?<metric>[a-z_]+)\s*(?:\{(?<matchers>.*)\}\s*)?$/s;
const matcherPattern = /\s*([a-z_]+)\s*(=|!=)\s*"((?:[^"\\]|\\["\\])*)"\s*(?:,|$)/gy;

/**
 * Reads an expression that the platform evaluates by itself: the name of one of its metrics, perhaps with labels that
 * are equal or not equal to a text. It means what it means in PromQL.
 * @returns undefined for any other expression
 */
export function selectorIn(expression: string): Selector | undefined {
  const { metric, matchers: text = '' } = metricPattern.exec(expression)?.groups ?? {};
  if (metric === undefined || !metricNames.includes(metric)) return undefined;
  const found = [...text.matchAll(matcherPattern)];
  // What a matcher doesn't cover is of another kind.
  if (found.map(([all]) => all).join('') !== text && text.trim() !== '') return undefined;
  return {
    metric,
    matchers: found.map(([, label, operator, value]) => ({
      label: label!,
      isEqual: operator === '=',
      value: value!.replace(/\\(.)/g, '$1'),
    })),
  };
}

/** The values that a selector picks, or what has none. A label that isn't there is empty. */
export const selected = <Labelled extends Pick<Series, 'metric' | 'labels'>>(
  { metric, matchers }: Selector,
  series: readonly Labelled[],
): readonly Labelled[] =>
  series.filter(
    (each) =>
      each.metric === metric &&
      matchers.every(({ label, isEqual, value }) => ((each.labels[label] ?? '') === value) === isEqual),
  );
