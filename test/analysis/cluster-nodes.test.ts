import { expect, test } from 'vitest';
import { nodesText } from '../../src/analysis/index.ts';

const node = (name: string, more: object = {}) => ({
  id: name,
  name,
  role: 'WORKER' as const,
  availability: 'ACTIVE' as const,
  state: 'READY' as const,
  state_since: '2026-11-23T05:00:00Z',
  cpu: 4000,
  cpu_allotted: 1500,
  memory: 8000,
  memory_allotted: 2000,
  instances: 3,
  ...more,
});

test('nothing is said of a cluster without machines, and of one machine that is all right', () => {
  expect(nodesText({ name: 'main' })).toBeUndefined();
  expect(nodesText({ name: 'main', nodes: [node('one')] })).toBeUndefined();
});

test('of several, it is said how many take instances, and the room that is left on these', () => {
  expect(nodesText({ name: 'local', nodes: [node('one'), node('two', { cpu_allotted: 9000 })] })).toBe(
    'Nodes of local: 2 of 2 take instances; room left: 2.5 CPUs, 12000 MB, and at most 2.5 CPUs, 6000 MB on one node.',
  );
});

test('those that take none are named with the reason, also where there is only one', () => {
  const nodes = [node('one'), node('two', { state: 'DOWN' }), node('three', { availability: 'DRAIN' })];
  expect(nodesText({ name: 'local', nodes })).toBe(
    'Nodes of local: 1 of 3 take instances; two is DOWN since 2026-11-23T05:00:00Z or earlier; three is DRAIN; room left: 2.5 CPUs, 6000 MB.',
  );
  expect(nodesText({ nodes: [node('one', { availability: 'PAUSE' })] })).toBe(
    'Nodes of the cluster: 0 of 1 take instances; one is PAUSE; room left: 0.0 CPUs, 0 MB.',
  );
  expect(
    nodesText({ name: 'local', nodes: ['a', 'b', 'c', 'd', 'e'].map((name) => node(name, { state: 'DOWN' })) }),
  ).toContain('c is DOWN since 2026-11-23T05:00:00Z or earlier; 2 more take none;');
});

test('that they can not be read is not the same as that there are none', () => {
  expect(
    nodesText({ name: 'local', warnings: ["Its nodes can't be read: the engine is away. What runs is not known."] }),
  ).toBe("Nodes of local: Its nodes can't be read: the engine is away. What runs is not known.");
});
