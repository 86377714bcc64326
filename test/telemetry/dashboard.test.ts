import { parser } from '@prometheus-io/lezer-promql';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/telemetry/metrics/create-metrics.ts';
import { definitions, type MetricDefinition } from '../../src/telemetry/index.ts';
import { readJson } from '../shipping/repository-files.ts';
import { memoryLog } from '../support/call-context.ts';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly description?: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const { panels } = readJson('deploy/grafana/infra-mcp.json') as { readonly panels: readonly Panel[] };
const charts = panels.filter(({ type }) => type !== 'row');
const queries = charts.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));

const byName = new Map<string, MetricDefinition>(Object.values(definitions).map((one) => [one.name, one]));

/** The metrics in an expression; those of a histogram by its own name. */
const metricsIn = (expr: string): readonly string[] =>
  [...expr.matchAll(/\b(?:infra|process|nodejs)_\w+/g)].map(([name]) => {
    const histogram = name.replace(/_(?:bucket|sum|count)$/, '');
    return byName.get(histogram)?.type === 'histogram' ? histogram : name;
  });

const labelsIn = (expr: string): readonly string[] => [
  ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names]) => names!.split(',').map((name) => name.trim())),
  ...[...expr.matchAll(/[{,]\s*(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, name]) => name!),
];

test('the dashboard shows every metric, and only metrics that there are', async () => {
  const { text } = await createMetrics(['calls', 'http', 'engine'], memoryLog()).page('text/plain');
  const served = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!);
  const shown = new Set(queries.flatMap(({ expr }) => metricsIn(expr)));
  expect([...shown].filter((name) => !byName.has(name) && !served.includes(name))).toEqual([]);
  expect([...byName.keys()].filter((name) => !shown.has(name))).toEqual([]);
});

test.each(queries)('$title: $expr can be evaluated, by labels that the metric has', ({ expr, legendFormat }) => {
  const faults: string[] = [];
  const query = expr.replaceAll('$__rate_interval', '5m');
  parser.parse(query).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) faults.push(query.slice(from, to) || `at ${from}`);
    },
  });
  expect(faults).toEqual([]);
  const known = [
    'job',
    'instance',
    'le',
    ...metricsIn(expr).flatMap((name) => Object.keys(byName.get(name)?.labels ?? {})),
  ];
  const used = [...labelsIn(expr), ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!)];
  expect(used.filter((label) => !known.includes(label))).toEqual([]);
});

test('its panels have a description, an id of their own and a place of their own', () => {
  expect(charts.filter(({ description = '' }) => description === '')).toEqual([]);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
  );
  expect(new Set(places).size).toBe(places.length);
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
});
