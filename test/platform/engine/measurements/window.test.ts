import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWindow, durationAt } from '../../../../src/platform/engine/measurements/window.ts';
import { durationBounds, type InstanceUse, type Measured } from '../../../../src/platform/runtime/index.ts';

const use = (id: string, at: number, cpuSeconds: number, more: Partial<InstanceUse> = {}): InstanceUse => ({
  serviceId: 'web',
  id,
  node: 'one',
  at,
  cpuNanoseconds: cpuSeconds * 1e9,
  memory: 100,
  received: at,
  sent: 0,
  cpuLimit: 500,
  memoryLimit: 1000,
  ...more,
});
const nodeSeen = { id: 'one', name: 'node-1', isReady: true, restarts: 0 };
const round = (instances: readonly InstanceUse[], more: Partial<Measured> = {}): Measured => ({
  nodes: [nodeSeen],
  instances,
  unmeasured: [],
  ...more,
});
const requests = (count: number, errors: number, byDuration: readonly number[] = []) => ({
  milliseconds: 10_000,
  services: [{ serviceId: 'web', requests: count, errors, byDuration }],
});

test('CPU is what was used between two samples of the same instance, of all and of the one that uses most', () => {
  const window = createWindow();
  window.add(0, round([use('a', 0, 5), use('b', 0, 0)]));
  expect(window.services().get('web')).toMatchObject({ instances: 2, memory: 200, cpuLimit: 1000 });
  expect(window.services().get('web')).not.toHaveProperty('cpu');
  window.add(10_000, round([use('a', 10_000, 7), use('b', 10_000, 1, { memory: 300 })]));
  expect(window.services().get('web')).toMatchObject({
    seconds: 10,
    cpu: 300,
    worstCpu: 200,
    memory: 400,
    worstMemory: 300,
    received: 2000,
    missing: [],
  });
  expect(window.nodes().get('one')).toMatchObject({ cpu: 300, memory: 400 });
});

test('an instance that has just started, or whose counters were set back, makes no rate', () => {
  const window = createWindow();
  window.add(0, round([use('a', 0, 5)]));
  window.add(10_000, round([use('a', 10_000, 6), use('b', 10_000, 1)]));
  expect(window.services().get('web')).not.toHaveProperty('cpu');
  window.add(20_000, round([use('a', 20_000, 1)]));
  expect(window.services().get('web')).not.toHaveProperty('cpu');
});

test('figures are about five minutes, and rounds of before are forgotten', () => {
  const window = createWindow();
  for (let at = 0; at <= 3_600_000; at += 20_000)
    window.add(at, round([use('a', at, at < 3_000_000 ? at / 1000 : 3000)]));
  expect(window.services().get('web')).toMatchObject({ seconds: 280, cpu: 0 });
});

test('requests are told from the rounds in which the service was reached from outside', () => {
  const window = createWindow();
  window.add(0, round([use('a', 0, 0)]));
  expect(window.services().get('web')).not.toHaveProperty('requests');
  window.add(10_000, round([use('a', 10_000, 0)], { requests: requests(90, 1) }));
  window.add(20_000, round([use('a', 20_000, 0)], { requests: requests(10, 1) }));
  expect(window.services().get('web')!.requests).toEqual({ perSecond: 5, errorRatio: 0.02 });
  window.add(30_000, round([use('a', 30_000, 0)], { requestsProblem: 'The log is gone.' }));
  expect(window.services().get('web')).toMatchObject({ missing: [], requestsMissing: 'The log is gone.' });
  expect(window.services().get('web')).not.toHaveProperty('requests');
});

test('what could not be measured is said, with its node', () => {
  const window = createWindow();
  const unmeasured = { serviceId: 'db', node: 'two', reason: 'nobody answers' };
  window.add(0, round([], { unmeasured: [unmeasured, { ...unmeasured, serviceId: 'web' }, unmeasured] }));
  expect(window.services().get('db')).toMatchObject({
    instances: 0,
    missing: ["2 instances on the node two can't be measured: nobody answers."],
  });
});

test('the duration of a part of all requests lies within the group that reaches it, and grows with the part', () => {
  expect(durationAt(0.95, [])).toBeUndefined();
  expect(durationAt(0.5, [10])).toBe(2.5);
  expect(durationAt(0.95, [0, 100])).toBe(9.75);
  expect(durationAt(0.95, durationBounds.map(() => 0).concat(3))).toBe(10_000);
  fc.assert(
    fc.property(
      fc.array(fc.nat(50), { minLength: durationBounds.length + 1, maxLength: durationBounds.length + 1 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (counts, one, other) => {
        const [low, high] = [durationAt(Math.min(one, other), counts), durationAt(Math.max(one, other), counts)];
        if (low === undefined || high === undefined) expect(counts.every((count) => count === 0)).toBe(true);
        else expect(low <= high && low >= 0 && high <= 10_000).toBe(true);
      },
    ),
  );
});

test('a node is told while it is there: whether it is ready, what ended on it in five minutes, and what is used there if that can be measured', () => {
  const window = createWindow();
  window.add(0, round([], { nodes: [{ ...nodeSeen, restarts: 2 }] }));
  expect(window.nodes()).toEqual(
    new Map([['one', { name: 'node-1', isReady: true, restarts: 2, cpu: 0, memory: 0, received: 0, sent: 0 }]]),
  );
  window.add(
    20_000,
    round([use('a', 20_000, 0)], {
      nodes: [
        { ...nodeSeen, restarts: 1 },
        { ...nodeSeen, id: 'two', name: 'node-2', isReady: false },
      ],
      unmeasured: [{ serviceId: 'db', node: 'node-2', reason: 'it is down' }],
    }),
  );
  expect(window.nodes()).toEqual(
    new Map([
      ['one', { name: 'node-1', isReady: true, restarts: 3, memory: 100 }],
      ['two', { name: 'node-2', isReady: false, restarts: 0 }],
    ]),
  );
  window.add(310_000, round([]));
  expect(window.nodes()).toMatchObject(new Map([['one', { restarts: 1 }]]));
});
