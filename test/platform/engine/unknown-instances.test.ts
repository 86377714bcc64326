import { expect, test } from 'vitest';
import { warningsOf } from '../../../src/platform/engine/running-facts.ts';
import { sightingOf } from '../../../src/platform/engine/seen-service.ts';
import { unknownWhether } from '../../../src/platform/runtime/running-service.ts';

const hidden = unknownWhether('whether web-1-a still runs: the managers have not reached the node node-2 since 2026-01-01T00:00:00Z or earlier.');
const gone = 'An instance waits for the node node-2, which has been down since 2026-01-01T00:00:00Z or earlier: it can only run there.';

test.each([
  [hidden, 0, 'No instance of it is known to run.', 'Unavailable: no instance of it is known to run.'], [gone, 0, 'No instance of it runs.', 'Unavailable: no instance of it runs.'],
  [hidden, 1, 'Only 1 of 2 instances are known to run.', undefined], [gone, 1, 'Only 1 of 2 instances run.', undefined],
])('that nobody knows of an instance is another sentence than that it does not run: %s, %i run', (obstacle, running, warning, line) => {
  expect(warningsOf({ seen: { wanted: 2, running }, restarts: 0, changes: [], obstacle })).toEqual([warning, obstacle]);
  const { told, turned } = sightingOf(undefined, 'd', { serviceId: 's', wanted: 2, running, ends: [], changes: [], obstacle })!;
  expect(told).toEqual([...(line === undefined ? [] : [line]), obstacle]);
  expect(turned).toBe(running === 0 ? 'down' : undefined);
});
