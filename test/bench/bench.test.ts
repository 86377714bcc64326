import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findRegressions } from '../../bench/compare.ts';
import { databaseMeasurements } from '../../bench/databases/database-measurements.ts';
import { dockerMeasurements, hostMeasurements } from '../../bench/docker/docker-measurements.ts';
import { relativeTo, type Figure } from '../../bench/figure.ts';
import { load } from '../../bench/load.ts';
import { measurements } from '../../bench/measurements/measurements.ts';
import { otherMeasurements } from '../../bench/others/other-measurements.ts';
import { baseline, databaseBaseline, dockerBaseline, hostsBaseline, othersBaseline, readRun } from '../../bench/run.ts';
import { summarise } from '../../bench/statistics.ts';
import { isMet, targetFor } from '../../bench/targets.ts';

const reference: Figure = { name: 'reference', value: 10, unit: 'ms' };
const timeOf = (value: number): Figure => relativeTo(reference, { name: 'start', value, unit: 'ms' });
const rateOf = (value: number): Figure =>
  relativeTo({ ...reference, unit: 'per s' }, { name: 'calls', value, unit: 'per s' });
const sizeOf = (value: number): Figure => ({ name: 'list', value, unit: 'bytes' });

describe('comparing runs', () => {
  test('tells what is clearly slower, and by how much', () => {
    expect(findRegressions({ start: [timeOf(20)] }, { start: [timeOf(30)] })).toEqual([
      { figure: 'start: start', before: 2, now: 3, times: 1.5 },
    ]);
  });

  test('takes a lower rate for worse, and a higher one for better', () => {
    expect(findRegressions({ calls: [rateOf(20)] }, { calls: [rateOf(10)] })).toMatchObject([{ times: 2 }]);
    expect(findRegressions({ calls: [rateOf(10)] }, { calls: [rateOf(20)] })).toEqual([]);
  });

  test('is not alarmed by noise, by what only one run has, nor by times of another machine', () => {
    expect(findRegressions({ start: [timeOf(20)] }, { start: [timeOf(23)] })).toEqual([]);
    expect(findRegressions({}, { start: [timeOf(90)] })).toEqual([]);
    expect(findRegressions({ start: [reference] }, { start: [{ ...reference, value: 1000 }] })).toEqual([]);
  });

  test('compares sizes as they are', () => {
    expect(findRegressions({ list: [sizeOf(100)] }, { list: [sizeOf(200)] })).toMatchObject([{ times: 2 }]);
  });
});

test('the middle and the ends of many values are found', () => {
  const value = fc.double({ min: 0.01, max: 100_000, noNaN: true });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 200 }), (values) => {
      const sorted = values.toSorted((one, other) => one - other);
      const exact = sorted[Math.ceil(sorted.length / 2) - 1]!;
      const { median, p95, p99 } = summarise(values);
      expect(Math.abs(median - exact)).toBeLessThan(exact * 0.002);
      expect(median).toBeLessThanOrEqual(p95);
      expect(p95).toBeLessThanOrEqual(p99);
    }),
  );
});

test('work is done as often as asked, never by more at once than asked', async () => {
  let [done, running, most] = [0, 0, 0];
  await load(50, 4, async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    running -= 1;
    done += 1;
  });
  expect([done, most]).toEqual([50, 4]);
});

test.each([
  [baseline, measurements],
  [dockerBaseline, dockerMeasurements],
  [hostsBaseline, hostMeasurements],
  [databaseBaseline, databaseMeasurements],
  [othersBaseline, otherMeasurements],
] as const)(
  'the committed run %s has every measurement, and a figure for every target that is told',
  async (path, all) => {
    const { results, quick } = await readRun(path);
    expect(quick).toBe(false);
    expect(Object.keys(results)).toEqual(all.map(({ name }) => name));
    const aimed = Object.entries(results).flatMap(([name, figures]) =>
      figures.flatMap((figure) => (targetFor(name, figure.name) ? [figure] : [])),
    );
    expect(aimed.every(({ ratio }) => ratio !== undefined)).toBe(true);
    expect(new Set(aimed.map((figure) => isMet({ bound: 'at least', ratio: 0 }, figure)))).toEqual(new Set([true]));
  },
);

test('a measurement that there is not is named', () => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), join(import.meta.dirname, '../../bench/main.ts'), 'strat'],
    { encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'There is no measurement "strat".\n' });
  expect(stdout).toContain('start');
});
