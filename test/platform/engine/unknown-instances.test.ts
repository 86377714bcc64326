import { expect, test } from 'vitest';
import { condition } from '../../../src/contract/index.ts';
import { conditionsOf } from '../../../src/platform/engine/running-facts.ts';
import { observedStatusOf } from '../../../src/platform/engine/observed-status.ts';

const since = '2026-01-01T00:00:00Z';
const hidden = condition('NODE_UNREACHABLE', { node: 'node-2', since, instances: ['web-1-a'] });
const gone = condition('WAITING_FOR_NODE', { node: 'node-2', since });

const messages = (conditions: readonly { readonly message: string }[]) => conditions.map(({ message }) => message);

test.each([
  [hidden, 0, 'No instance of it is known to run.', 'Unavailable: no instance of it is known to run.'],
  [gone, 0, 'No instance of it runs.', 'Unavailable: no instance of it runs.'],
  [hidden, 1, 'Only 1 of 2 instances are known to run.', undefined],
  [gone, 1, 'Only 1 of 2 instances run.', undefined],
])(
  'that nobody knows of an instance is another sentence than that it does not run: %o, %i run',
  (problem, running, warning, line) => {
    expect(messages(conditionsOf({ seen: { wanted: 2, running }, restarts: 0, changes: [], problem }))).toEqual([
      warning,
      problem.message,
    ]);
    const { told, turned } = observedStatusOf(undefined, 'd', {
      serviceId: 's',
      wanted: 2,
      running,
      ends: [],
      changes: [],
      problem,
    })!;
    expect(messages(told)).toEqual([...(line === undefined ? [] : [line]), problem.message]);
    expect(turned).toBe(running === 0 ? 'down' : undefined);
  },
);

test('what an earlier program stored as a sentence is known, and not told again', () => {
  const seen = {
    serviceId: 's',
    wanted: 2,
    running: 1,
    ends: [],
    changes: [condition('CHANGED_EXTERNALLY', { change: { of: 'volumes' } })],
    problem: gone,
  };
  const { row } = observedStatusOf(undefined, 'd', seen)!;
  const before = {
    ...row,
    obstacle: gone.message,
    changes: JSON.stringify(seen.changes.map(({ message }) => message)),
  };
  expect(observedStatusOf(before, 'd', seen)).toMatchObject({ told: [], row: { obstacle: JSON.stringify(gone) } });
  expect(observedStatusOf(row, 'd', seen)).toBeUndefined();
});
