import { metricNames } from './metric-definitions.ts';
import type { Series } from './series.ts';

/** Selects values of one metric by labels that are, or are not, equal to a value. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly isEqual: boolean; readonly value: string }[];
}

const metricPattern = /^\s*(?<metric>[a-z_]+)\s*(?:\{(?<matchers>.*)\}\s*)?$/s;
const matcherPattern = /\s*([a-z_]+)\s*(=|!=)\s*"((?:[^"\\]|\\["\\])*)"\s*(?:,|$)/gy;

/**
 * Parses an expression that the platform evaluates itself: the name of one of its metrics, optionally with labels that
 * are equal or not equal to a value. It means the same as in PromQL.
 * @returns undefined for any other expression
 */
export function selectorIn(expression: string): Selector | undefined {
  const { metric, matchers: text = '' } = metricPattern.exec(expression)?.groups ?? {};
  if (metric === undefined || !metricNames.includes(metric)) return undefined;
  const found = [...text.matchAll(matcherPattern)];
  // Anything that the matchers don't cover is unsupported syntax.
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

/** The selected values or gaps. A missing label is empty. */
export const selected = <Labelled extends Pick<Series, 'metric' | 'labels'>>(
  { metric, matchers }: Selector,
  series: readonly Labelled[],
): readonly Labelled[] =>
  series.filter(
    (each) =>
      each.metric === metric &&
      matchers.every(({ label, isEqual, value }) => ((each.labels[label] ?? '') === value) === isEqual),
  );
