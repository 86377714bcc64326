import { describe, expect, test } from 'vitest';
import { usageFigures } from '../../src/analysis/index.ts';
import { metaKeys } from '../../src/views/index.ts';
import {
  chartLine,
  figureText,
  measuredServices,
  pointsOf,
  tellsMeasurements,
  withMeasured,
  type History,
} from '../../src/views/page/mapping/measurements.ts';

const usage = {
  measured_at: '2026-11-27T12:00:00Z',
  seconds: 300,
  instances: 2,
  cpu: 120,
  cpu_limit: 500,
  memory: 210,
  memory_limit: 512,
  requests_per_second: 41,
  error_percent: 0.2,
  p95_milliseconds: 80,
  missing: ['One instance could not be reached.'],
};

const resultOf = (changes: object = {}) => ({
  _meta: {
    [metaKeys.view]: {
      services: [
        { id: 's1', path: 'shop/staging/api', kind: 'application', state: 'RUNNING', usage: { ...usage, ...changes } },
      ],
    },
  },
});

const [service] = measuredServices(resultOf());

test('a service has its figures with their limits, other facts, and what could not be measured', () => {
  expect(service).toEqual({
    id: 's1',
    name: 'shop/staging/api',
    kind: 'application',
    state: 'RUNNING',
    at: '2026-11-27T12:00:00Z',
    figures: {
      cpu: { used: 120, limit: 500, unit: 'm' },
      memory: { used: 210, limit: 512, unit: 'MB' },
      requests: { used: 41, unit: '/s' },
    },
    facts: [
      ['instances', '2'],
      ['errors', '0.2 %'],
      ['95 % within', '80 ms'],
    ],
    missing: ['One instance could not be reached.'],
  });
});

test('figures come from what the platform measured, with restarts', () => {
  const status = { state: 'RUNNING', running: { usage, restarts: 3 } };
  expect(usageFigures(status as Parameters<typeof usageFigures>[0])).toMatchObject({ cpu: 120, restarts: 3 });
  expect(usageFigures({ state: 'RUNNING' })).toBeUndefined();
});

test('a figure is said with its limit, if there is one', () => {
  expect(figureText({ used: 120, limit: 500, unit: 'm' })).toBe('120 of 500 m (24 %)');
  expect(figureText({ used: 41, unit: '/s' })).toBe('41 /s');
});

test('nothing measured is not the same as a list without measurements', () => {
  expect(tellsMeasurements({ _meta: { [metaKeys.view]: { services: [] } } })).toBe(true);
  expect(tellsMeasurements({ structuredContent: { results: [] } })).toBe(false);
});

describe('what was measured since a view is open', () => {
  const later = measuredServices(resultOf({ measured_at: '2026-11-27T12:00:20Z', cpu: 250 }));
  const none: History = new Map();

  test('gets each measurement once, in the order of time', () => {
    const one = withMeasured(none, [service!]);
    const two = withMeasured(withMeasured(one, [service!]), later);
    expect(pointsOf(withMeasured(two, [service!]), 's1', 'cpu').map(({ used }) => used)).toEqual([120, 250]);
    expect(pointsOf(none, 's1', 'cpu')).toEqual([]);
  });

  test('is drawn from left to right, with its limit at the top', () => {
    const points = pointsOf(withMeasured(withMeasured(none, [service!]), later), 's1', 'cpu');
    expect(chartLine(points, 500)).toBe('0.0,24.3 120.0,16.0');
    expect(chartLine(points)).toBe('0.0,16.6 120.0,0.0');
    expect(chartLine(points.slice(1), 500)).toBe('');
  });

  test('keeps the newest only', () => {
    let history = none;
    for (let minute = 0; minute < 70; minute += 1)
      history = withMeasured(history, [{ ...service!, at: new Date(minute * 60_000).toISOString() }]);
    const points = pointsOf(history, 's1', 'memory');
    expect([points.length, points.at(-1)!.at]).toEqual([60, 69 * 60_000]);
  });
});
