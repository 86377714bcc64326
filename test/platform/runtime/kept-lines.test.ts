import { expect, test } from 'vitest';
import type { RunningVersion } from '../../../src/platform/runtime/index.ts';
import { createRunningLogs } from '../../../src/platform/runtime/simulated/running-logs.ts';

const minute = 60_000;

const version = (deploymentId: string, kind: 'application' | 'database'): RunningVersion =>
  ({
    deploymentId,
    runningSince: 0,
    service: { id: 'service', name: 'shop', environmentId: 'environment', kind, spec: { version: '16' } },
  }) as unknown as RunningVersion;

test('lines that are kept are those that would be made, whichever part of a log was read before', () => {
  const keeping = createRunningLogs();
  const reads = [
    [100, 20],
    [100, 50],
    [103, 50],
    [103, 10],
    [90, 50],
    [400, 50],
    [400, 1000],
    [0, 10],
  ] as const;
  for (const [minutes, limit] of reads)
    for (const each of [version('a', 'application'), version('b', 'application'), version('a', 'database')])
      expect(keeping(each, minutes * minute, limit)).toEqual(createRunningLogs()(each, minutes * minute, limit));
});

test('a line that was read before is the same object', () => {
  const keeping = createRunningLogs();
  const before = keeping(version('a', 'application'), 100 * minute, 50);
  const now = keeping(version('a', 'application'), 101 * minute, 50);
  expect(now.slice(0, -1).every((line, index) => line === before[index + 1])).toBe(true);
});
